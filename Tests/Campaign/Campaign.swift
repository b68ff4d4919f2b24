import Foundation
import Glibc
import LibraryLoad
import TestSupport

/// Long runs of what the tests do in short, each against the real server: `campaign kill`, `memory`, `protocol` and `cluster`.
@main
enum Campaign {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        let name = arguments.popFirst()
        let options = Options(arguments)
        let passed =
            switch name {
            case "kill": try await kill(options)
            case "memory": try await memory(options)
            case "protocol": try await speak(options)
            case "cluster": try await endCluster(options)
            default: throw LoadError("usage: campaign kill|memory|protocol|cluster [--name value ...]")
            }
        if !passed { exit(1) }
    }

    private static var server: URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "tintype-server")
    }

    /// Kills over many libraries, so that checking the whole of one stays quick.
    private static func kill(_ options: Options) async throws -> Bool {
        let count = options.number("count") ?? 1000
        let seed = UInt64(options.number("seed") ?? Int.random(in: 0..<1 << 32))
        say("kill campaign: \(count) kills, seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var done = 0
        var receipts = 0
        var violations: [String] = []
        var kills: [String: Int] = [:]
        while done < count {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            var campaign = KillCampaign(server, folder: folder, seed: generator.next())
            let part = min(50, count - done)
            let summary = try await campaign.run(kills: part)
            done += summary.kills.values.reduce(0, +)
            receipts += summary.receiptCount
            violations += summary.violations
            kills.merge(summary.kills, uniquingKeysWith: +)
            for violation in summary.violations { say("  VIOLATION \(violation)") }
            say("  \(done) kills, \(receipts) receipts held, \(violations.count) violations")
        }
        say("killed at: \(counts(kills))")
        return violations.isEmpty
    }

    private static func memory(_ options: Options) async throws -> Bool {
        let devices = options.number("devices") ?? 8
        let megabytes = options.number("megabytes") ?? 1024
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServerProgram(server, library: folder.appending(path: "library"))
        try server.start()
        let load = try await MemoryLoad(at: server, deviceCount: devices)
        var generator = SeededGenerator(seed: 1)
        let outcome = try await load.run(byteCount: Int64(megabytes) << 20, &generator)
        let (idle, peak) = (outcome.idleByteCount >> 20, outcome.peakByteCount >> 20)
        say("memory: idle \(idle) MiB (limit 60), peak \(peak) MiB (limit 150)")
        say(
            "\(devices) devices, \(megabytes) MiB each, in \(outcome.duration), server's CPU \(outcome.processorTime)"
        )
        return idle < 60 && peak < 150
    }

    /// Made-up requests of valid callers, over many libraries, so that no library is emptied or locked for long.
    private static func speak(_ options: Options) async throws -> Bool {
        let seconds = options.number("seconds") ?? 60
        let seed = UInt64(options.number("seed") ?? Int.random(in: 0..<1 << 32))
        let corpus = URL(filePath: "Tests/ProtocolCorpus")
        say("protocol campaign: \(seconds) s, seed \(seed)")
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        var outcome = ProtocolFuzz.Outcome()
        var corpusEntries: Set<String> = []
        var round: UInt64 = 0
        repeat {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let library = folder.appending(path: "library")
            let server = try ServerProgram(server, library: library, settings: ProtocolFuzz.settings)
            try server.start()
            let fuzz = try ProtocolFuzz(at: server, corpus: corpus, seed: seed + round)
            corpusEntries = fuzz.corpus
            outcome.merge(try await fuzz.run(count: 3000, until: end))
            for violation in outcome.violations { say("  VIOLATION with seed \(seed + round): \(violation)") }
            guard outcome.violations.isEmpty else { return false }
            round += 1
        } while ContinuousClock.now < end
        let statuses = Dictionary(uniqueKeysWithValues: outcome.statuses.map { (String(format: "%03d", $0), $1) })
        let reached = Dictionary(uniqueKeysWithValues: outcome.reached.map { ($0.rawValue, $1) })
        say("\(outcome.requestCount) requests in \(round) libraries; answers: \(counts(statuses))")
        say("with the right bytes: \(counts(reached))")
        for entry in corpusEntries.subtracting(outcome.accepted).sorted() { say("  never accepted: \(entry)") }
        for oversight in outcome.oversights { say("  VIOLATION \(oversight)") }
        return outcome.oversights.isEmpty
    }

    /// Starts a cluster and lets its parts fail.
    private static func endCluster(_ options: Options) async throws -> Bool {
        let kills = options.number("kills")
        let names = options.text("faults") ?? (kills == nil ? ClusterFault.usual : [.stages]).list
        guard let kinds = ClusterFault.list(names) else {
            refuse("--faults \(names): choose among \(ClusterFault.allCases.list)")
        }
        guard options.text("kills") == nil || (kills ?? 0) > 0 && kinds.contains(.stages) else {
            refuse("--kills is a number above 0, and needs stages among --faults")
        }
        guard let folder = options.text("folder"), let port = options.number("port") else {
            refuse("usage: campaign cluster --folder F --port N [--name value ...]")
        }
        let seconds = options.number("seconds") ?? 300
        let seed = UInt64(options.number("seed") ?? Int.random(in: 0..<1 << 32))
        let servers = options.number("servers") ?? 3
        let length = kills.map { "\($0) kills" } ?? "\(seconds) s"
        say("cluster campaign: \(length), \(servers) servers, faults \(names), seed \(seed)")
        let cluster = ClusterAccess(
            folder: URL(filePath: folder),
            port: port,
            servers: servers,
            options: options.text("build") == "debug" ? ["--debug"] : []
        )
        try await cluster.control("start")
        let begin = ContinuousClock.now
        var campaign = ClusterCampaign(cluster, kinds, kills: kills, seed: seed) { fault in
            say("  \((ContinuousClock.now - begin).components.seconds) s: \(fault)")
        }
        let summary = try await campaign.run(for: .seconds(seconds))
        for violation in summary.violations { say("  VIOLATION \(violation)") }
        for (fault, count) in summary.faults.sorted(by: { $0.key < $1.key }) { say("  \(fault): \(count)") }
        for (what, times) in summary.times.sorted(by: { $0.key < $1.key }) { say("  \(what): \(spread(of: times))") }
        if !summary.kills.isEmpty { say("  killed at: \(counts(summary.kills))") }
        say("  \(summary.spreadCount) of \(summary.severalCount) uploads in several requests were spread over servers")
        say("  \(summary.receiptCount) receipts held, \(summary.violations.count) violations")
        return summary.violations.isEmpty && summary.receiptCount > 0
    }

    private static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// Prints a line that is seen at once, also through a pipe.
private func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Ends the program because of its options.
private func refuse(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    exit(64)
}

private func counts(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
}

/// The median, the 99th percentile and the maximum.
private func spread(of times: [Duration]) -> String {
    let sorted = times.sorted()
    func percentile(_ part: Double) -> String {
        String(format: "%.2f", sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)] / .seconds(1))
    }
    return "p50 \(percentile(0.5)) s, p99 \(percentile(0.99)) s, at most \(percentile(1)) s, \(sorted.count) times"
}

extension [ClusterFault] {
    /// The names, separated by commas.
    fileprivate var list: String { map(\.rawValue).joined(separator: ",") }
}

/// Values behind names: `--count 1000`.
struct Options {
    private var values: [String: String] = [:]

    init(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let name = rest.popFirst(), let value = rest.popFirst() {
            values[String(name.drop { $0 == "-" })] = value
        }
    }

    func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    func text(_ name: String) -> String? { values[name] }
}
