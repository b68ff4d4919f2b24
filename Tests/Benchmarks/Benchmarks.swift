import BenchmarkSupport

/// Prints what cameras, the server and thumbnails cost, as ratios against a peer or a limit measured in the same run.
///
/// `swift run -c release benchmarks [area ...]`; without an area, all of them. It judges nothing and never fails.
@main
struct Benchmarks {
    static func main() async throws {
        try await BenchmarkArea.runNamed([
            BenchmarkArea("capture", captureBenchmark),
            BenchmarkArea("masks", maskBenchmark),
            BenchmarkArea("server", serverBenchmark),
            BenchmarkArea("thumbnails", thumbnailBenchmark),
        ])
    }
}
