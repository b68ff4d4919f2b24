import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryClient
import LibraryLoad
import ObjectStorageTestSupport
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport

/// How soon a device that polls one server of a library learns what was committed on another, with notices between the
/// servers and without, against the limits: 50 ms at p50, 250 ms at p99, and 1.5 s without notices.
///
/// From before the commit is sent to after the poll is answered, over TLS; so it includes the commit.
func signalBenchmark() async throws {
    guard TestServer.isInstalled else {
        print("signals: not measured; PostgreSQL is not installed (Debian: postgresql)")
        return
    }
    for (notices, limits) in [("", (50.0, 250.0)), ("off", (1500.0, 1500.0))] {
        let times = try await commitToEvent(notices: notices)
        func percentile(_ part: Double) -> Double { times[min(Int(Double(times.count) * part), times.count - 1)] }
        let (middle, late) = (percentile(0.5), percentile(0.99))
        print(
            "commit on one server to the poll's answer on another, notices \(notices.isEmpty ? "on" : "off"): "
                + "p50 \(decimal(middle)) ms (\(decimal(middle / limits.0)) of the limit), "
                + "p99 \(decimal(late)) ms (\(decimal(late / limits.1)) of the limit), worst \(decimal(times.last ?? 0)) ms"
        )
    }
}

/// Sorted times in milliseconds.
private func commitToEvent(notices: String) async throws -> [Double] {
    let count = benchmarkNumber("TINTYPE_BENCHMARK_EVENTS") ?? 200
    let database = try await TestServer.shared()
    let schema = try database.settings().schema
    let folder = try BenchmarkFolder()
    let secret = folder.url.appending(path: "secret")
    try Data("fake-secret\n".utf8).write(to: secret)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "tintype-server")
    let url = folder.url
    return try await FakeObjectStore().run { bucket in
        let settings = [
            "library.metadata=postgres:///postgres?host=\(database.folder)&user=tintype", "library.schema=\(schema)",
            "library.notices=\(notices)", "library.originals=s3://\(FakeObjectStore.bucket)/\(schema)",
            "s3.endpoint=\(bucket.endpoint)", "s3.region=\(FakeObjectStore.region)", "s3.accessKey=fake-key",
            "s3.secretKeyFile=\(secret.path)", "media.workers=0",
        ]
        let first = try ServerProgram(program, library: url.appending(path: "first"), settings: settings)
        let second = try ServerProgram(sharing: first, library: url.appending(path: "second"))
        try first.start()
        try second.start()
        defer {
            first.stop()
            second.stop()
        }
        return try await pollTimes(count, first, second)
    }
}

private func pollTimes(_ count: Int, _ first: ServerProgram, _ second: ServerProgram) async throws -> [Double] {
    let device = try await LoadDevice.enroll(at: first)
    let reader = try second.client(identity: device.identity)
    let clock = ContinuousClock()
    var generator = SeededGenerator(seed: 19)
    var token = try await reader.changes(since: nil).end.token
    var times: [Double] = []
    for _ in 0..<count {
        let sample = try SampleCapture(sizes: [4096], &generator)
        guard let upload = try await device.client.createAsset(sample.manifest).uploads.first else { continue }
        let content = sample.contents[0]
        let digest = sample.manifest.resources[0].digest
        _ = try await device.client.append(to: upload.id, at: 0, content.source(), isLast: true, digest: digest)
        let since = token
        async let answer = reader.changes(since: since, waitSeconds: 55)
        // The poll waits by then, and the second server's looks come at any time.
        try await Task.sleep(for: .milliseconds(50 + Int(generator.below(1000))))
        let start = clock.now
        _ = try await device.client.commit(sample.manifest.id)
        token = try await answer.end.token
        times.append((clock.now - start).seconds * 1000)
    }
    return times.sorted()
}
