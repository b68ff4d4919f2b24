import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryClient
import LibraryLoad
import PostgreSQLTestSupport
import TestSupport

/// One, two and four servers over one PostgreSQL and one bucket, eight devices in all: CPU per asset and throughput beside
/// one server's, and how long the library's lock is held for each asset, which no further server shortens.
///
/// `Tests/ObjectStores/benchmark scaling` starts the store and names it. Nobody makes thumbnails.
func scalingBenchmark() async throws {
    guard TestServer.isInstalled, ProcessInfo.processInfo.environment["LIBRARY_BUCKET"] != nil else {
        print("scaling: not measured; needs PostgreSQL, and Tests/ObjectStores/benchmark starts a store and runs this")
        return
    }
    let folder = try BenchmarkFolder()
    let photoCount = benchmarkNumber("TINTYPE_BENCHMARK_PHOTOS") ?? 200
    let fileCount = benchmarkNumber("TINTYPE_BENCHMARK_FILES") ?? 6144
    let photos = try Corpus(folder.url.appending(path: "photos"), count: photoCount, byteCount: 4 << 20, seed: 4)
    let small = try Corpus(folder.url.appending(path: "small"), count: fileCount, byteCount: 35_000, seed: 35)
    for load in [ScalingLoad(photos, batchCount: nil, folder.url), ScalingLoad(small, batchCount: 256, folder.url)] {
        print("\(load.name) by 8 devices:")
        var costs: [Int: ScalingCost] = [:]
        // There and back, so that no number of servers has the quieter minutes.
        for count in [1, 2, 4, 4, 2, 1] {
            costs[count] = try await load.run(servers: count) + (costs[count] ?? ScalingCost())
        }
        guard let one = costs[1] else { continue }
        for count in [1, 2, 4] { print(costs[count]?.line(servers: count, beside: one) ?? "") }
    }
}

/// What saving some assets cost.
private struct ScalingCost {
    var assets = 0
    var seconds = 0.0
    var serverProcessor = 0.0
    var engineProcessor = 0.0
    var lockedSeconds = 0.0

    static func + (left: ScalingCost, right: ScalingCost) -> ScalingCost {
        ScalingCost(
            assets: left.assets + right.assets,
            seconds: left.seconds + right.seconds,
            serverProcessor: left.serverProcessor + right.serverProcessor,
            engineProcessor: left.engineProcessor + right.engineProcessor,
            lockedSeconds: left.lockedSeconds + right.lockedSeconds
        )
    }

    private var rate: Double { Double(assets) / seconds }

    /// Milliseconds of CPU of all servers for one asset.
    private var milliseconds: Double { serverProcessor * 1000 / Double(assets) }

    func line(servers: Int, beside one: ScalingCost) -> String {
        let (share, microseconds) = (lockedSeconds / seconds, lockedSeconds * 1e6 / Double(assets))
        return
            "  \(servers) server\(servers == 1 ? "" : "s"): \(decimal(rate)) assets a second, "
            + "\(decimal(rate / one.rate)) of one server's (goal 0.95); CPU an asset \(decimal(milliseconds)) ms, "
            + "\(decimal(milliseconds / one.milliseconds)) of one server's (limit 1.1), "
            + "and \(decimal(engineProcessor * 1000 / Double(assets))) ms of PostgreSQL's; library lock held "
            + "\(decimal(share * 100)) % of the time, \(decimal(share / 0.25)) of the limit of 25 %, "
            + "\(decimal(microseconds)) µs an asset, \(decimal(microseconds / 200)) of the limit of 200 µs"
    }
}

/// A corpus that eight devices save, to several servers of a new library.
private struct ScalingLoad {
    private let corpus: Corpus
    private let batchCount: Int?
    private let folder: URL
    private static let deviceCount = 8

    /// A batch has so many files; without a number, each file is uploaded by itself.
    init(_ corpus: Corpus, batchCount: Int?, _ folder: URL) {
        self.corpus = corpus
        self.batchCount = batchCount
        self.folder = folder
    }

    var name: String {
        let way = batchCount.map { "in batches of \($0)" } ?? "each uploaded by itself"
        return "\(corpus.manifests.count) files of \(corpus.byteCount / 1000) kB, \(way),"
    }

    func run(servers count: Int) async throws -> ScalingCost {
        let rows = try await BenchmarkRows.postgreSQL()
        guard let connection = rows.connection else { throw LoadError("PostgreSQL has no address") }
        let servers = try start(count, rows)
        defer { for server in servers { server.stop() } }
        var devices: [LoadDevice] = []
        for number in 0..<Self.deviceCount {
            devices.append(try await LoadDevice.enroll(at: servers[number % count], connections: 2))
        }
        let watch = try await LockWatch(connection)
        let clock = ContinuousClock()
        let (before, engineBefore, start) = (try Self.processorTime(servers), try rows.processorTime(), clock.now)
        var seconds = 0.0
        let share = try await watch.share {
            try await save(by: devices)
            seconds = (clock.now - start).seconds
        }
        let cost = ScalingCost(
            assets: corpus.manifests.count,
            seconds: seconds,
            serverProcessor: (try Self.processorTime(servers) - before).seconds,
            engineProcessor: (try rows.processorTime() - engineBefore).seconds,
            lockedSeconds: share * seconds
        )
        let statistics: LibraryStatistics = try await servers[0].operators().call(.adminStatistics)
        guard statistics.contents == corpus.manifests.count else {
            throw LoadError("\(statistics.contents) files arrived")
        }
        return cost
    }

    /// Makes a library, and starts so many servers on it.
    private func start(_ count: Int, _ rows: BenchmarkRows) throws -> [ServerProgram] {
        let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        // The name is a part of the prefix in the bucket, which must be empty.
        let place = folder.appending(path: "scaling-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let first = try ServerProgram(
            programs.appending(path: "tintype-server"),
            library: place.appending(path: "1"),
            settings: rows.settings + ["media.workers=0"]
        )
        let others = try (1..<count).map { number in
            try ServerProgram(sharing: first, library: place.appending(path: "\(number + 1)"))
        }
        for server in [first] + others { try server.start() }
        return [first] + others
    }

    private func save(by devices: [LoadDevice]) async throws {
        let saving = SavingBenchmark(corpus: corpus, folder: folder)
        let size = batchCount ?? 1
        let starts = Array(stride(from: 0, to: corpus.manifests.count, by: size))
        try await withThrowingTaskGroup { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    for place in stride(from: number, to: starts.count, by: devices.count) {
                        if batchCount == nil {
                            try await saving.upload(starts[place], by: device)
                        } else {
                            try await saving.send(from: starts[place], count: size, by: device)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func processorTime(_ servers: [ServerProgram]) throws -> Duration {
        try servers.reduce(.zero) { sum, server in
            guard let usage = server.processIdentifier.flatMap({ ProcessUsage(of: $0) }) else {
                throw LoadError("a server's process is gone: \(server.errors.suffix(3))")
            }
            return sum + usage.processorTime
        }
    }
}
