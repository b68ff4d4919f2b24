import BenchmarkSupport
import Foundation
import Glibc
import LibraryAPI
import LibraryClient
import LibraryLoad
import PhotoModel
import Synchronization
import TestSupport

/// A fleet of limited devices (1,000, or `TINTYPE_BENCHMARK_DEVICES`) at one server over TLS, each with its own certificate and
/// connections: what a contact with nothing new costs, what happens when all of them save at once, and how late each sees its
/// own change while all of them wait and 100 photos a second arrive, against the limit of 5 s.
func fleetBenchmark() async throws {
    raiseOpenFileLimit()
    let folder = try BenchmarkFolder()
    let count = benchmarkNumber("TINTYPE_BENCHMARK_DEVICES") ?? 1000
    let rows = try await BenchmarkRows.asked()
    let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let server = try ServerProgram(
        programs.appending(path: "tintype-server"),
        library: folder.url.appending(path: "fleet"),
        // All of the fleet's addresses are one here.
        settings: rows.settings + [
            "server.connectionsPerAddress=\(count * 3)", "server.anonymousRequestsPerMinute=\(count * 10)",
        ]
    )
    try server.start()
    let fleet = try await Fleet(at: server, rows, count: count)
    try await fleet.contacts()
    try await fleet.rush()
    try await fleet.follow(seconds: benchmarkNumber("TINTYPE_BENCHMARK_SECONDS") ?? 10, perSecond: 100)
}

/// How late a device may see a change, in milliseconds.
private let limit = 5000.0

private struct Fleet {
    private struct Member: Sendable {
        let device: LoadDevice
        /// Where its feed goes on.
        let token: ChangeToken
    }

    private let server: ServerProgram
    private let rows: BenchmarkRows
    private let members: [Member]
    private let clock = ContinuousClock()

    /// Enrols the devices, and grants each a selection that is still empty.
    init(at server: ServerProgram, _ rows: BenchmarkRows, count: Int) async throws {
        self.server = server
        self.rows = rows
        let operators = try server.operators()
        let start = clock.now
        members = try await together(Array(0..<count), width: 8) { _ in
            let device = try await LoadDevice.enroll(at: server, connections: 2)
            try await operators.perform(.adminDecide, [device.id], body: DecisionRequest(answer: "selected"))
            return Member(device: device, token: try await device.client.changes(since: nil).end.token)
        }
        print("\(count) limited devices, rows in \(rows.engine), enrolled in \(decimal((clock.now - start).seconds)) s")
    }

    /// Every device asks what is new, and nothing is.
    func contacts() async throws {
        let (before, engine) = (try usage(), try rows.processorTime())
        let start = clock.now
        let times = try await together(members, width: 32) { member in
            try await timed { _ = try await member.device.client.changes(since: member.token) }
        }
        let wall = (clock.now - start).seconds
        let after = try usage()
        print(
            "  contacts with nothing new, 32 at once: \(Int(Double(times.count) / wall)) a second, \(Spread(times).line), "
                + "\(decimal((after.processorTime - before.processorTime).seconds * 1000 / Double(times.count))) ms of the server's CPU"
                + "\(try rows.processorLine(since: engine, per: times.count)) each"
        )
    }

    /// Every device saves a photo of 35 kB in the same moment.
    func rush() async throws {
        let (before, engine) = (try usage(), try rows.processorTime())
        let start = clock.now
        let times = try await together(members, width: members.count) { member in
            try await timed { try await save(member.device) }
        }
        let wall = (clock.now - start).seconds
        let after = try usage()
        let processor = (after.processorTime - before.processorTime).seconds * 1000 / Double(times.count)
        print(
            "  all save at once: receipts for \(times.count) in \(decimal(wall)) s, \(Spread(times).line), "
                + "\(decimal(processor)) ms of the server's CPU\(try rows.processorLine(since: engine, per: times.count)) each, "
                + "server's peak \(after.peakByteCount >> 20) MiB (\(before.residentByteCount >> 20) before)"
        )
    }

    /// All wait for changes while one after another saves; each is told of its own photo alone.
    func follow(seconds: Int, perSecond: Int) async throws {
        let sightings = Sightings()
        let (before, engine) = (try usage(), try rows.processorTime())
        let start = clock.now
        let saved = try await withThrowingTaskGroup(of: Void.self) { group in
            for member in members { group.addTask { try await wait(member, sightings) } }
            let saved = try await save(seconds * perSecond, perSecond: perSecond)
            while sightings.delays(since: saved).count < saved.count, clock.now - start < .seconds(seconds + 60) {
                try await Task.sleep(for: .milliseconds(50))
            }
            group.cancelAll()
            while let outcome = await group.nextResult() {
                if case .failure(let error) = outcome, !isEnd(error) { throw error }
            }
            return saved
        }
        let after = try usage()
        let delays = sightings.delays(since: saved)
        let spread = Spread(delays)
        let processors = (after.processorTime - before.processorTime).seconds / (clock.now - start).seconds
        print(
            "  \(perSecond) photos a second for \(seconds) s, every device waiting: \(delays.count) of \(saved.count) seen by "
                + "their device, \(spread.line) after the receipt, worst \(decimal(spread.worst / limit)) of the limit of 5 s; "
                + "the server used \(decimal(processors)) processors\(try rows.processorLine(since: engine, per: saved.count)) a photo, "
                + "peak \(after.peakByteCount >> 20) MiB"
        )
    }

    /// Saves one photo after another, by one device after another; gives the moments of their receipts.
    private func save(_ count: Int, perSecond: Int) async throws -> [AssetID: ContinuousClock.Instant] {
        let start = clock.now
        return try await withThrowingTaskGroup(of: (AssetID, ContinuousClock.Instant).self) { saves in
            for round in 0..<count {
                try await clock.sleep(until: start.advanced(by: .milliseconds(round * 1000 / perSecond)))
                let device = members[round % members.count].device
                saves.addTask { (try await save(device), .now) }
            }
            var saved: [AssetID: ContinuousClock.Instant] = [:]
            for try await (asset, moment) in saves { saved[asset] = moment }
            return saved
        }
    }

    private func wait(_ member: Member, _ sightings: Sightings) async throws {
        var token = member.token
        while !Task.isCancelled {
            let page = try await member.device.client.changes(since: token, waitSeconds: 20)
            token = page.end.token
            for change in page.changes { if let asset = change.asset?.id { sightings.see(asset) } }
        }
    }

    @discardableResult
    private func save(_ device: LoadDevice) async throws -> AssetID {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        let capture = try SampleCapture(sizes: [35_000], &generator)
        for upload in try await device.client.createAsset(capture.manifest).uploads {
            _ = try await device.appendWithoutDigest(to: upload.id, at: 0, capture.contents[0].source(), isLast: true)
        }
        _ = try await device.client.commit(capture.manifest.id)
        return capture.manifest.id
    }

    private func timed(_ body: () async throws -> Void) async throws -> Double {
        let start = clock.now
        try await body()
        return (clock.now - start).seconds * 1000
    }

    private func usage() throws -> ProcessUsage {
        guard let usage = server.processIdentifier.flatMap({ ProcessUsage(of: $0) }) else {
            throw LoadError("the server's process is gone: \(server.errors.suffix(3))")
        }
        return usage
    }
}

/// When each photo was first seen in the feed of its device.
private final class Sightings: Sendable {
    private let moments = Mutex<[AssetID: ContinuousClock.Instant]>([:])

    func see(_ asset: AssetID) { moments.withLock { if $0[asset] == nil { $0[asset] = .now } } }

    /// Milliseconds from each receipt; 0 for what was seen before its receipt arrived.
    func delays(since receipts: [AssetID: ContinuousClock.Instant]) -> [Double] {
        moments.withLock { moments in
            receipts.compactMap { asset, receipt in
                moments[asset].map { max(0, ($0 - receipt).seconds * 1000) }
            }
        }
    }
}

/// Times in milliseconds.
private struct Spread {
    private let sorted: [Double]

    init(_ times: [Double]) { sorted = times.sorted() }

    var worst: Double { sorted.last ?? 0 }

    var line: String {
        func part(_ share: Double) -> String {
            sorted.isEmpty ? "none" : decimal(sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)])
        }
        return "p50 \(part(0.5)) ms, p99 \(part(0.99)) ms, worst \(decimal(worst)) ms"
    }
}

/// Whether an error only says that a waiting request was cancelled.
private func isEnd(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    if let error = error as? LibraryClientError, case .transport = error.code { return true }
    return false
}

/// Does the same for all items, at most `width` at once; results are in no order.
private func together<Item: Sendable, Value: Sendable>(
    _ items: [Item],
    width: Int,
    _ body: @escaping @Sendable (Item) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        var values: [Value] = []
        for (index, item) in items.enumerated() {
            if index >= width, let value = try await group.next() { values.append(value) }
            group.addTask { try await body(item) }
        }
        for try await value in group { values.append(value) }
        return values
    }
}

/// A thousand devices have some thousand sockets.
private func raiseOpenFileLimit() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(resource, &limit)
}
