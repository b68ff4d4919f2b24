func authorizationBenchmark() throws {
}
