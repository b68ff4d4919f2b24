package import Foundation
import LibraryAPI
import TestSupport

/// Speaks the whole protocol with valid identities, and breaks every rule of it but the form.
///
/// Each step is one request, an entry of the corpus or any other route, by a caller of any level, filled with names that
/// answers told, and mostly mutated; or a story whose bytes and digests are right. Steps of a lane follow one another,
/// and lanes run beside each other; a seed makes the same choices in each lane again.
package struct ProtocolFuzz {
    /// What is reached only by the right bytes.
    package enum Reached: String, CaseIterable, Sendable {
        /// Assets committed.
        case commits
        /// Edits applied.
        case edits
        /// Bytes of picked items fetched.
        case picks
    }

    /// What a run did and found.
    package struct Outcome: Sendable {
        /// Requests by status; 0 counts those without an answer.
        package var statuses: [Int: Int] = [:]
        /// Entries of the corpus, as method and path, that were answered without an error as they stand.
        package var accepted: Set<String> = []
        /// What was reached by the right bytes, and how often.
        package var reached: [Reached: Int] = [:]
        /// What must not be, with the requests before it.
        package var violations: [String] = []

        package init() {}

        /// All requests.
        package var requestCount: Int { statuses.values.reduce(0, +) }

        /// What so many requests should have reached, and did not.
        package var oversights: [String] {
            guard requestCount > 1000 else { return [] }
            let missing = Reached.allCases.filter { reached[$0, default: 0] == 0 }.map { "no \($0.rawValue) at all" }
            return missing
                + (accepted.contains("GET /v1/picks/$session") ? [] : ["nobody opened a picker as its person"])
        }

        /// Adds another run's.
        package mutating func merge(_ other: Outcome) {
            statuses.merge(other.statuses, uniquingKeysWith: +)
            accepted.formUnion(other.accepted)
            reached.merge(other.reached, uniquingKeysWith: +)
            violations += other.violations
        }
    }

    /// The settings of a server that lets a fuzzer do its work.
    package static let settings = ["server.anonymousRequestsPerMinute=1000000", "enrollment.open=true"]

    private let server: ServerProgram
    private let entries: [FuzzEntry]
    private let seed: UInt64
    private let laneCount: Int

    /// The corpus's entries, as method and path.
    package var corpus: Set<String> { Set(entries.map(\.name)) }

    /// Prepares a run against a server that is running over a library of its own.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - corpus: a folder of JSON files, each a list of entries.
    ///   - seed: decides every choice.
    ///   - lanes: how many ask beside each other.
    /// - Throws: when the corpus cannot be read, or asks for what is no route.
    package init(at server: ServerProgram, corpus: URL, seed: UInt64, lanes: Int = 4) throws {
        self.server = server
        self.seed = seed
        laneCount = lanes
        entries = try FuzzEntry.all(in: corpus)
    }

    /// Makes requests until their number or the time is reached, or the server has ended.
    ///
    /// - Parameters:
    ///   - count: requests, a few more at most: no story is cut off.
    ///   - end: no request begins after it.
    /// - Returns: what came of them.
    /// - Throws: when the callers cannot be enrolled.
    package func run(count: Int, until end: ContinuousClock.Instant) async throws -> Outcome {
        let journal = FuzzJournal(until: end)
        var generator = SeededGenerator(seed: seed)
        let lanes = (0..<laneCount).map { number in
            FuzzLane(number, at: server, entries, seed: generator.next(), journal)
        }
        // What is sealed in one lane has to be so before another looks around.
        let ready = try await withThrowingTaskGroup(of: FuzzLane.self) { group in
            for lane in lanes {
                group.addTask {
                    var lane = lane
                    try await lane.prepare()
                    return lane
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in ready {
                group.addTask {
                    var lane = lane
                    try await lane.run(count: count / laneCount)
                }
            }
            try await group.waitForAll()
        }
        if journal.outcome.violations.isEmpty, !(await server.isAlive) {
            journal.violate("the server has ended", server.errors)
        }
        return journal.outcome
    }
}

/// One request of the corpus: a method, a path that may have placeholders, and a body.
struct FuzzEntry: Decodable, Sendable {
    let method: String
    let path: String
    let body: FuzzedJSON?

    var name: String { "\(method) \(path)" }

    /// The entries of a folder, in the order of its files' names.
    static func all(in corpus: URL) throws -> [FuzzEntry] {
        let files = try FileManager.default.contentsOfDirectory(at: corpus, includingPropertiesForKeys: nil)
        let entries = try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
            .flatMap { try JSONDecoder().decode([FuzzEntry].self, from: Data(contentsOf: $0)) }
        guard !entries.isEmpty else { throw LoadError("the corpus \(corpus.path) holds no entry") }
        for entry in entries {
            let isRoute = Endpoint.all.contains { route in
                route.method.rawValue == entry.method && route.matches(entry.path)
            }
            guard isRoute else { throw LoadError("\(entry.name) of the corpus is no route") }
        }
        return entries
    }
}

extension Endpoint {
    /// Whether a path is one of this route's, whatever its parameters.
    fileprivate func matches(_ path: String) -> Bool {
        let wanted = template.split(separator: "/", omittingEmptySubsequences: false)
        let found = path.split(separator: "/", omittingEmptySubsequences: false)
        return wanted.count == found.count
            && zip(wanted, found).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 }
    }
}
