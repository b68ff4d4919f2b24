import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryClient
import LibraryLoad
import ObjectStorageTestSupport
import PhotoModel
import PostgreSQLTestSupport
import Synchronization
import TestSupport

/// How soon a change stream from one server of a library brings what was committed on another, with notices between the
/// servers and without, against the limits: 50 ms at p50, 250 ms at p99, and 1.5 s without notices.
///
/// From before the commit is sent to the event's arrival, over TLS; so it includes the commit. Then how soon devices that are
/// revoked on one server are refused by the other, limit 1 s, and their streams there end, limit 5 s.
func signalBenchmark() async throws {
    guard TestServer.isInstalled else {
        print("signals: not measured; PostgreSQL is not installed (Debian: postgresql)")
        return
    }
    for (notices, limits) in [("", (50.0, 250.0)), ("off", (1500.0, 1500.0))] {
        let times = try await commitToEvent(notices: notices)
        let (middle, late) = (percentile(times.events, 0.5), percentile(times.events, 0.99))
        let (commit, lateCommit) = (percentile(times.commits, 0.5), percentile(times.commits, 0.99))
        print(
            "commit on one server to the event from another, notices \(notices.isEmpty ? "on" : "off"): "
                + "p50 \(decimal(middle)) ms (\(decimal(middle / limits.0)) of the limit), "
                + "p99 \(decimal(late)) ms (\(decimal(late / limits.1)) of the limit), "
                + "worst \(decimal(times.events.last ?? 0)) ms; "
                + "of it the commit p50 \(decimal(commit)) ms, p99 \(decimal(lateCommit)) ms"
        )
        let (refused, ended) = (times.refusals.last ?? 0, times.ends.last ?? 0)
        print(
            "\(times.ends.count) devices revoked on one server: refused by the other after "
                + "p50 \(decimal(percentile(times.refusals, 0.5))) ms, worst \(decimal(refused)) ms "
                + "(\(decimal(refused / 1000)) of the limit); their streams there ended after "
                + "p50 \(decimal(percentile(times.ends, 0.5))) ms, worst \(decimal(ended)) ms "
                + "(\(decimal(ended / 5000)) of the limit)"
        )
    }
}

private func percentile(_ times: [Double], _ part: Double) -> Double {
    times.isEmpty ? 0 : times[min(Int(Double(times.count) * part), times.count - 1)]
}

/// Sorted times in milliseconds.
private struct SignalTimes {
    var events: [Double] = []
    var commits: [Double] = []
    var refusals: [Double] = []
    var ends: [Double] = []

    mutating func sort() {
        events.sort()
        commits.sort()
        refusals.sort()
        ends.sort()
    }
}

private func commitToEvent(notices: String) async throws -> SignalTimes {
    let count = benchmarkNumber("TINTYPE_BENCHMARK_EVENTS") ?? 200
    let rows = try await BenchmarkRows.postgreSQL()
    let folder = try BenchmarkFolder()
    let secret = folder.url.appending(path: "secret")
    try Data("fake-secret\n".utf8).write(to: secret)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
    let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let program = programs.appending(path: "tintype-server")
    let url = folder.url
    return try await FakeObjectStore().run { bucket in
        let settings =
            rows.settings + [
                "library.notices=\(notices)", "library.originals=s3://\(FakeObjectStore.bucket)/signals",
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
        var times = SignalTimes()
        try await measureEvents(count, first, second, &times)
        for _ in 0..<(benchmarkNumber("TINTYPE_BENCHMARK_REVOCATIONS") ?? 10) {
            try await measureRevocation(first, second, &times)
        }
        times.sort()
        return times
    }
}

private func measureEvents(
    _ count: Int,
    _ first: ServerProgram,
    _ second: ServerProgram,
    _ times: inout SignalTimes
) async throws {
    let device = try await LoadDevice.enroll(at: first)
    // The second server learns of the enrolment later, without notices up to a second, and then closes the device's
    // connections, as after any decision.
    try await awaitClosure(at: second)
    let reader = try second.client(identity: device.identity)
    let token = try await reader.changes(since: nil).end.token
    let stream = ChangeStream()
    let following = Task { await stream.follow(reader, since: token) }
    defer { following.cancel() }
    let clock = ContinuousClock()
    var generator = SeededGenerator(seed: 19)
    for _ in 0..<count {
        let sample = try SampleCapture(sizes: [4096], &generator)
        let id = sample.manifest.id
        guard let upload = try await device.client.createAsset(sample.manifest).uploads.first else { continue }
        let content = sample.contents[0]
        let digest = sample.manifest.resources[0].digest
        _ = try await device.client.append(to: upload.id, at: 0, content.source(), isLast: true, digest: digest)
        // The second server's looks come at any time.
        try await Task.sleep(for: .milliseconds(50 + Int(generator.below(1000))))
        let start = clock.now
        _ = try await device.client.commit(id)
        let committed = clock.now
        let event = try await stream.arrival(of: id, before: committed + .seconds(30))
        times.events.append((event - start).seconds * 1000)
        times.commits.append((committed - start).seconds * 1000)
    }
}

/// Revokes a device on the first server while it follows a stream of the second.
private func measureRevocation(
    _ first: ServerProgram,
    _ second: ServerProgram,
    _ times: inout SignalTimes
) async throws {
    let device = try await LoadDevice.enroll(at: first)
    // The second server learns of the enrolment within a second, and then closes the device's connections.
    try await Task.sleep(for: .milliseconds(2000 + Int.random(in: 0..<1000)))
    let reader = try second.client(identity: device.identity)
    let token = try await reader.changes(since: nil).end.token
    let stream = ChangeStream()
    let following = Task { await stream.follow(reader, since: token) }
    defer { following.cancel() }
    // What it saves arrives once the stream is open.
    var generator = SeededGenerator(seed: .random(in: 0 ... .max))
    let sample = try SampleCapture(sizes: [4096], &generator)
    guard let upload = try await device.client.createAsset(sample.manifest).uploads.first else {
        throw LoadError("a new photo has nothing to upload")
    }
    let digest = sample.manifest.resources[0].digest
    let source = sample.contents[0].source()
    _ = try await device.client.append(to: upload.id, at: 0, source, isLast: true, digest: digest)
    _ = try await device.client.commit(sample.manifest.id)
    let clock = ContinuousClock()
    _ = try await stream.arrival(of: sample.manifest.id, before: clock.now + .seconds(30))

    let operators = try first.operators()
    let caller = try second.client(identity: device.identity)
    let start = clock.now
    try await operators.perform(.adminRevoke, [device.id], body: StateChangeRequest(reason: "benchmark"))
    var status = 0
    while status != ErrorCode.identityRevoked.status {
        guard clock.now < start + .seconds(30) else { throw LoadError("a revoked device is answered with \(status)") }
        try await Task.sleep(for: .milliseconds(1))
        // The decision may close the connection under a request.
        status = (try? await caller.transport.send(TransportRequest("GET", "/v1/assets")).status) ?? 0
    }
    times.refusals.append((clock.now - start).seconds * 1000)
    let end = try await stream.ending(before: start + .seconds(30))
    times.ends.append((end - start).seconds * 1000)
}

/// Waits until a server has closed connections after a decision on another one.
private func awaitClosure(at server: ServerProgram) async throws {
    let operators = try server.operators()
    let name = "tintype_signals_closures "
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        let response = try await operators.transport.send(TransportRequest("GET", "/metrics"))
        let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name) }), let count = Double(line.dropFirst(name.count))
        else {
            throw LoadError("the server counts no closures: status \(response.status)")
        }
        if count > 0 { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw LoadError("a server did not learn of an enrolment on another one: \(server.errors.suffix(3))")
}

/// A change stream, and when each asset arrived in it.
private final class ChangeStream: Sendable {
    private struct State {
        /// The beginning of a line whose end has not arrived.
        var line: [UInt8] = []
        var arrivals: [AssetID: ContinuousClock.Instant] = [:]
        /// How the stream ended; nil while it lasts.
        var end: String?
        var endTime: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Follows the stream until the task is cancelled or the stream ends.
    func follow(_ client: LibraryClient, since token: ChangeToken) async {
        var request = TransportRequest("GET", "/v1/changes/stream")
        request.fields = [("Last-Event-ID", token.description)]
        request.sink = { [self] bytes in try take(bytes) }
        do {
            let response = try await client.transport.send(request)
            let problem = String(decoding: response.body, as: UTF8.self)
            end("status \(response.status) \(problem)")
        } catch {
            end("\(error)")
        }
    }

    private func end(_ words: String) {
        state.withLock { state in
            state.end = words
            state.endTime = .now
        }
    }

    /// When the stream ended.
    func ending(before end: ContinuousClock.Instant) async throws -> ContinuousClock.Instant {
        while ContinuousClock.now < end {
            if let time = state.withLock({ $0.endTime }) { return time }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw LoadError("the stream of a revoked device is still open")
    }

    private func take(_ bytes: [UInt8]) throws {
        let name = Array("data: ".utf8)
        try state.withLock { state in
            state.line += bytes
            let lines = state.line.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for line in lines.dropLast() where line.starts(with: name + [UInt8(ascii: "{")]) {
                let change = try JSONDecoder().decode(ChangeLine.self, from: Data(line.dropFirst(name.count)))
                if case .change(let change) = change, let id = change.asset?.id { state.arrivals[id] = .now }
            }
            state.line = Array(lines.last ?? [])
        }
    }

    /// When an asset arrived; the moment is the arrival's, however late this looks.
    ///
    /// Throws at once if the stream has ended, with its end.
    func arrival(of asset: AssetID, before end: ContinuousClock.Instant) async throws -> ContinuousClock.Instant {
        while ContinuousClock.now < end {
            let (arrival, ending) = state.withLock { ($0.arrivals[asset], $0.end) }
            if let arrival { return arrival }
            if let ending { throw LoadError("the change stream ended before an asset arrived: \(ending)") }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw LoadError("an asset did not arrive in the change stream, which is still open")
    }
}
