func mergeBenchmark() throws {
}
