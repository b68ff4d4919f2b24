func metadataBenchmark() throws {
}
