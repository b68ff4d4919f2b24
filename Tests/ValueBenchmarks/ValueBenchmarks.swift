import BenchmarkSupport

/// Prints what the value modules and the reading of exports cost, as ratios against a peer or a limit measured in the same run.
///
/// `swift run -c release value-benchmarks [area ...]`; without an area, all of them. It judges nothing and never fails. A
/// program of its own, since it needs none of the server's dependencies: its optimised build takes a fraction of the time.
@main
struct ValueBenchmarks {
    static func main() async throws {
        try await BenchmarkArea.runNamed([
            BenchmarkArea("authorization", authorizationBenchmark),
            BenchmarkArea("merge", mergeBenchmark),
            BenchmarkArea("metadata", metadataBenchmark),
            BenchmarkArea("moving", movingBenchmark),
        ])
    }
}
