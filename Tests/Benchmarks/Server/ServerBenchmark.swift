import BenchmarkSupport
import Foundation
import LibraryLoad
import Persistence
import PhotoModel
import PostgreSQLTestSupport
import Synchronization
import TestSupport

/// What saving to the real server costs, against its peers and against what one core can hash, all in one run.
///
/// `benchmarks server [photos] [small] [store] [push] [latency] [fleet] [bucket] [signals] [scaling] [sizing] [migrate]
/// [--metadata postgresql] [--assets N]`: without a name, all parts; rows are in SQLite, unless PostgreSQL is asked for.
/// `signals` and `scaling` need PostgreSQL, and `migrate`, which moves N assets (100,000) between both.
func serverBenchmark() async throws {
    guard !BenchmarkRows.arePostgreSQL || TestServer.isInstalled else {
        print("server: not measured; PostgreSQL is not installed (Debian: postgresql)")
        return
    }
    let names = Set(CommandLine.arguments.dropFirst())
    let parts: [(name: String, run: () async throws -> Void)] = [
        ("photos", photosBenchmark), ("small", smallFilesBenchmark), ("store", storeBenchmark),
        ("push", pushBenchmark), ("latency", latencyBenchmark), ("fleet", fleetBenchmark),
        ("bucket", bucketBenchmark), ("signals", signalBenchmark), ("scaling", scalingBenchmark),
        ("sizing", sizingBenchmark), ("migrate", migrateBenchmark),
    ]
    let wanted = parts.filter { names.contains($0.name) }
    for part in wanted.isEmpty ? parts : wanted { try await part.run() }
}

private func photosBenchmark() async throws {
    let folder = try BenchmarkFolder()
    let count = benchmarkNumber("TINTYPE_BENCHMARK_PHOTOS") ?? 500
    let corpus = try Corpus(folder.url.appending(path: "photos"), count: count, byteCount: 4 << 20, seed: 4)
    print("\(count) photos of 4 MiB, durable, over TLS, each hashed by the server:")
    let hashing = try hashingRate()
    let saving = SavingBenchmark(corpus: corpus, folder: folder.url)
    var best = Double.infinity
    for width in [2, 4, 8] {
        let transfer = try await saving.uploads(width: width)
        print(transfer.line(files: count, byteCount: corpus.totalByteCount))
        best = min(best, transfer.wall)
    }
    try printPeers(corpus, folder.url, best: best)
    print("  the disk alone, the same bytes, four at once: \(decimal(try diskRate(corpus, folder.url))) MB/s")
    let again = try hashingRate()
    let rate = (hashing + again) / 2
    let reached = Double(corpus.totalByteCount) / 1e6 / best
    print(
        "  one core hashes \(decimal(hashing)) MB/s before, \(decimal(again)) after: "
            + "the best of ours is \(decimal(reached / rate)) of it"
    )
}

private func smallFilesBenchmark() async throws {
    let folder = try BenchmarkFolder()
    let count = benchmarkNumber("TINTYPE_BENCHMARK_FILES") ?? 10_000
    let corpus = try Corpus(folder.url.appending(path: "small"), count: count, byteCount: 35_000, seed: 35)
    print("\(count) files of 35 kB, durable, over TLS, by batches:")
    let saving = SavingBenchmark(corpus: corpus, folder: folder.url)
    var best = Double.infinity
    for (width, size) in [(1, 256), (4, 256), (8, 256)] {
        let transfer = try await saving.batches(width: width, count: size)
        print(transfer.line(files: count, byteCount: corpus.totalByteCount))
        best = min(best, transfer.wall)
    }
    try printPeers(corpus, folder.url, best: best)
}

/// What other programs take for the same files, each compared with the best of ours.
private func printPeers(_ corpus: Corpus, _ folder: URL, best: Double) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../server_peers.py")
    let outcome = try ChildProcess.run("python3", [script.path, corpus.folder.path, folder.path])
    guard outcome.status == 0 else {
        print("  peers: \(outcome.errors.suffix(300))")
        return
    }
    for line in outcome.text.split(separator: "\n") {
        let fields = line.split(separator: "\t").map(String.init)
        guard fields.count == 4, let wall = Double(fields[1]), let processor = Double(fields[2]) else {
            print("  \(line.replacing("\t", with: ": "))")
            continue
        }
        let peer = Transfer(name: "\(fields[0]) (\(fields[3]))", wall: wall, processor: processor, peakByteCount: 0)
        print(peer.line(files: corpus.manifests.count, byteCount: corpus.totalByteCount))
        print("    ours is \(decimal(wall / best)) times as fast")
    }
}

/// Megabytes a second that files of the corpus' size take to become durable, four at once, with nothing else done.
private func diskRate(_ corpus: Corpus, _ folder: URL) throws -> Double {
    let target = folder.appending(path: "disk")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
    let bytes = SampleBytes(seed: 2, byteCount: corpus.byteCount).read(0, Int(corpus.byteCount))
    let failures = Mutex<[any Error]>([])
    let time = measure {
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            do {
                for index in stride(from: worker, to: corpus.manifests.count, by: 4) {
                    let path = Path(target.appending(path: "\(index)").path)
                    let file = try PosixFileSystem().open(path, .create)
                    try file.write(bytes[...], at: 0)
                    try file.synchronize()
                    try file.close()
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
    }
    try FileManager.default.removeItem(at: target)
    if let failure = failures.withLock(\.first) { throw failure }
    return Double(corpus.totalByteCount) / 1e6 / time.wall.seconds
}

/// Megabytes that one core hashes a second.
private func hashingRate() throws -> Double {
    let bytes = SampleBytes(seed: 1, byteCount: 64 << 20).read(0, 64 << 20)
    let time = measure { for _ in 0..<4 { _ = ContentHasher.digest(bytes) } }
    return Double(4 * bytes.count) / 1e6 / time.cpu.seconds
}

/// A number from the environment; nil when it is not set.
func benchmarkNumber(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
}
