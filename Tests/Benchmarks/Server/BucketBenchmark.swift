import BenchmarkSupport
import Foundation
import LibraryClient
import LibraryLoad
import ObjectStorage
import Persistence
import PhotoModel

/// What saving to a server costs whose originals are in a bucket, beside a bare client that signs and stores the same bytes
/// in the same bucket, and against the limits: 6 s of the server's CPU a GB, and 200 MiB with 8 devices.
///
/// `Tests/ObjectStores/benchmark` starts the store and names it to both. Neither makes thumbnails.
func bucketBenchmark() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let endpoint = environment["TINTYPE_S3_ENDPOINT"], let bucket = environment["LIBRARY_BUCKET"] else {
        print("bucket: not measured; Tests/ObjectStores/benchmark starts a store and runs this")
        return
    }
    let folder = try BenchmarkFolder()
    let count = benchmarkNumber("TINTYPE_BENCHMARK_PHOTOS") ?? 500
    let corpus = try Corpus(folder.url.appending(path: "photos"), count: count, byteCount: 4 << 20, seed: 4)
    print("\(count) photos of 4 MiB, durable in a bucket, each hashed by the server and by the store:")
    let saving = SavingBenchmark(corpus: corpus, folder: folder.url, settings: ["media.workers=0"])
    var (ours, bare) = (Double.infinity, Double.infinity)
    // Alternately, so that neither has the quieter minute.
    for width in [4, 8] {
        let plain = try await bareTransfer(corpus, endpoint, bucket, width: width)
        print(plain.line(files: count, byteCount: corpus.totalByteCount))
        bare = min(bare, plain.wall)
        let transfer = try await saving.uploads(width: width, byOneDevice: false)
        print(transfer.line(files: count, byteCount: corpus.totalByteCount))
        ours = min(ours, transfer.wall)
        let processor = transfer.serverProcessor / (Double(corpus.totalByteCount) / 1e9)
        let peak = Double(transfer.peakByteCount >> 20)
        print(
            "    the server's CPU is \(decimal(processor / 6)) of the limit of 6 s/GB, "
                + "its peak \(decimal(peak / 200)) of the limit of 200 MiB"
        )
    }
    print("    ours is \(decimal(bare / ours)) times as fast (goal 0.7)")
}

/// Signs and stores each file, and nothing else.
private func bareTransfer(
    _ corpus: Corpus,
    _ endpoint: String,
    _ bucket: String,
    width: Int
) async throws -> Transfer {
    let bucket = "\(bucket)/bare-\(UUID().uuidString.prefix(8))"
    guard let location = ObjectStoreLocation(endpoint: endpoint, bucket: bucket, region: "us-east-1", addressing: .path)
    else { throw LoadError("\(endpoint) is no endpoint") }
    let secret = ProcessInfo.processInfo.environment["TINTYPE_S3_SECRET_KEY"] ?? ""
    let credentials = ObjectStoreCredentials(accessKey: "test:tester", secretKey: secret)
    let client = try ObjectClient(location, credentials: credentials) {
        WallTime(microsecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }
    let before = processorTime()
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup { group in
        for worker in 0..<width {
            group.addTask {
                for index in stride(from: worker, to: corpus.manifests.count, by: width) {
                    let source = try corpus.source(index)
                    let bytes = try source.read(0, Int(corpus.byteCount))
                    try await client.put("\(index).jpg", bytes)
                }
            }
        }
        try await group.waitForAll()
    }
    let wall = (clock.now - start).seconds
    return Transfer(
        name: "a bare client, \(width) at once",
        wall: wall,
        processor: (processorTime() - before).seconds,
        peakByteCount: 0
    )
}
