/// Prints what the value modules cost, as ratios against a peer or a limit measured in the same run.
///
/// `swift run -c release benchmarks [area ...]`; without an area, all of them. It judges nothing and never fails.
@main
struct Benchmarks {
    static func main() async throws {
        let areas: [(name: String, run: () async throws -> Void)] = [
            ("authorization", authorizationBenchmark),
            ("capture", captureBenchmark),
            ("merge", mergeBenchmark),
            ("metadata", metadataBenchmark),
            ("server", serverBenchmark),
            ("thumbnails", thumbnailBenchmark),
        ]
        let wanted = CommandLine.arguments.dropFirst()
        print("machine: \(machineDescription())")
        for area in areas where wanted.isEmpty || wanted.contains(area.name) {
            print("## \(area.name)")
            try await area.run()
        }
    }
}
