import LibraryAPI
import ObjectStorageTestSupport
import Persistence
import PhotoModel
import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LibraryStore

/// Sweeps of a bucket that several servers share, against saves of the bytes that they delete.
///
/// `TINTYPE_RACES` is the number of races, `TINTYPE_SEED` where they begin; `deploy/campaign races` sets both.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct ReuploadRaceTests {
    private static let administrator = StoreCaller.administrator("ana")

    @Test("whatever the order of a sweep and a save of the same bytes: no live object is deleted, orphans are gone")
    func races() async throws {
        let count = environmentNumber("TINTYPE_RACES").map { Int(clamping: $0) }
        var generator = SeededGenerator(seed: environmentNumber("TINTYPE_SEED") ?? 1)
        var table = OrderTable()
        while table.count < count ?? ReuploadOrder.all.count {
            let rest = (count ?? ReuploadOrder.all.count) - table.count
            let orders = Array(ReuploadOrder.all.shuffled(using: &generator).prefix(rest))
            let seed = generator.next()
            for outcome in try await Self.race(orders, seed: seed) {
                table.add(outcome)
                #expect(outcome.problem == nil, "\(outcome.order), library \(seed)")
                #expect(outcome.happened == outcome.order, "the order was forced, library \(seed)")
            }
        }
        if count != nil { print(table) }
    }

    /// Runs races of one order each in one new library and one sweep.
    private static func race(_ orders: [ReuploadOrder], seed: UInt64) async throws -> [ReuploadRace.Outcome] {
        var settings = LibraryStore.Settings()
        // The shortest that a shared bucket has: a day.
        settings.quarantineDuration = .zero
        return try await SharedLibrary.run(seed: seed, settings: settings) { library in
            var generator = SeededGenerator(seed: seed)
            let races = try await races(orders, in: library, &generator)
            let servers = [library.first, library.second].shuffled(using: &generator)
            let sweep = Sweep(races, of: library)
            try await sweep.run(by: servers[0], collectingBy: generator.pick(servers), Self.administrator)
            for server in servers {
                _ = try await server.quarantineUnreferenced()
                try await sweep.pass(.seconds(25 * 3600))
                _ = try await server.collect(by: Self.administrator)
            }
            var outcomes: [ReuploadRace.Outcome] = []
            for race in races { outcomes.append(await race.outcome()) }
            try await requireNoOrphans(races, library)
            return outcomes
        }
    }

    /// Puts the bytes of each race into the bucket: of an asset that will be purged, or of a batch that was not committed,
    /// or of both.
    private static func races(
        _ orders: [ReuploadOrder],
        in library: SharedLibrary,
        _ generator: inout SeededGenerator
    ) async throws -> [ReuploadRace] {
        var races: [ReuploadRace] = []
        let batch = try await library.first.receiveBatch(by: .device(StoreFixture.device))
        let lostName = "\(library.fixture.effects.identifier(UploadID.self))"
        let lost = try await library.first.content.receiveBatch(lostName)
        var saved: [[UInt8]] = []
        var lostCount = 0
        for order in orders {
            let capture = library.fixture.capture(sizes: [24])
            let bytes = capture.bytes[0]
            let resource = capture.manifest.resources[0]
            let address = ContentAddress(resource.digest, contentType: resource.contentType)
            let isSaved = ReuploadRace.choosesOriginal(order) || generator.oneIn(2)
            let copy = address.copied(by: lostName)
            let race = ReuploadRace(order, of: capture, isSaved: isSaved, copy: copy, in: library, &generator)
            races.append(race)
            if isSaved {
                await batch.add(capture.manifest)
                saved.append(bytes)
            }
            if !isSaved || race.copy != nil {
                try await lost.take([.begin(address, byteCount: Int64(bytes.count)), .bytes(bytes), .end])
                lostCount += 1
            }
        }
        for bytes in saved {
            try await batch.beginResource(byteCount: Int64(bytes.count))
            try await batch.append(bytes)
            await batch.endResource()
        }
        let results = await batch.finish().results
        try #require(results.allSatisfy { $0.commit != nil })
        _ = try await lost.finish()
        lost.end()
        try #require(library.bucket.contents.count == saved.count + lostCount)
        return races
    }

    private static func requireNoOrphans(_ races: [ReuploadRace], _ library: SharedLibrary) async throws {
        let digests = library.bucket.contents.compactMap(Sweep.digest)
        #expect(digests.count == races.count && Set(digests) == Set(races.map(\.digest.description)))
        #expect(library.bucket.keys.filter { $0.contains("/uploads/") || $0.contains("/quarantine/") } == [])
        #expect(try await library.first.metadata.statistics().quarantined == 0)
        #expect(try await library.second.verify(.init(isHashing: false, isRepairing: false)).findings == [])
    }
}

/// A sweep whose requests to the bucket wait until races have taken their steps.
private final class Sweep: Sendable {
    /// What the sweep does now, whose requests are then told from those of races.
    private enum Phase { case other, listing, judging, collecting }

    private struct State {
        var phase = Phase.other
        /// The digests of which a request has waited, at each moment.
        var held: [SweepMoment: Set<String>] = [:]
    }

    private let library: SharedLibrary
    private let races: [String: ReuploadRace]
    private let state = Mutex(State())

    init(_ races: [ReuploadRace], of library: SharedLibrary) {
        self.library = library
        self.races = Dictionary(uniqueKeysWithValues: races.map { ($0.digest.description, $0) })
    }

    /// The digest in an object's key, or in its mark's.
    static func digest(_ key: String) -> String? {
        key.split(separator: "/").last.map { String($0.prefix { $0 != "." }) }
    }

    /// Marks on one server and deletes on one, with every race's steps in between.
    func run(
        by sweeper: LibraryStore,
        collectingBy collector: LibraryStore,
        _ caller: StoreCaller
    ) async throws {
        await all { await $0.run(through: .before) }
        library.bucket.hold { [self] in await hold($0, $1) }
        begin(.listing)
        _ = try await sweeper.quarantineUnreferenced()
        begin(.other)
        // A batch is too old to be named after half a day, a mark ripe after a whole one.
        try await pass(.seconds(13 * 3600))
        await all { await $0.run(through: .marked) }
        try await pass(.seconds(11 * 3600 + 1800))
        await all { await $0.run(through: .ripe) }
        begin(.collecting)
        _ = try await collector.collect(by: caller)
        library.bucket.hold(nil)
        await all { await $0.run(through: .after) }
        await all { await $0.repeatRefused() }
    }

    /// Lets time pass for marks and batches: the database's clock cannot be moved.
    func pass(_ duration: Duration) async throws {
        try await library.change("UPDATE quarantine SET since = since - \(duration.components.seconds * 1_000_000)")
        await all { await $0.age(by: duration) }
    }

    private func begin(_ phase: Phase) { state.withLock { $0.phase = phase } }

    private func all(_ body: @escaping @Sendable (ReuploadRace) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for race in races.values { group.addTask { await body(race) } }
        }
    }

    private func hold(_ asked: FakeObjectStore.Asked, _ stage: FakeObjectStore.Stage) async {
        let phase = state.withLock(\.phase)
        switch (phase, asked.method, stage) {
        case (.listing, "GET", .performed) where asked.prefix.hasSuffix("/originals/"):
            // What races ask for meanwhile is not the sweep's.
            begin(.other)
            await all { await $0.run(through: .listed) }
            begin(.judging)
        case (.judging, "HEAD", .performed) where asked.key.contains("/originals/"): await race(asked.key, .judged)
        case (.collecting, "DELETE", .arrived) where asked.key.contains("/originals/"):
            await race(asked.key, .condemned)
        case (.collecting, "DELETE", .arrived) where asked.key.contains("/quarantine/"):
            await race(asked.key, .deleted)
        default: break
        }
    }

    /// Lets the race of an object take its steps, when its first request comes: the steps ask for the object too.
    private func race(_ key: String, _ moment: SweepMoment) async {
        guard let digest = Self.digest(key), let race = races[digest], await race.waits(for: key),
            state.withLock({ $0.held[moment, default: []].insert(digest).inserted })
        else { return }
        await race.run(through: moment)
    }
}

/// How many races had which order, and how many of them were refused and repeated.
private struct OrderTable: CustomStringConvertible {
    private(set) var count = 0
    private var counts: [ReuploadOrder: (all: Int, refused: Int)] = [:]

    mutating func add(_ outcome: ReuploadRace.Outcome) {
        count += 1
        guard let order = outcome.happened else { return }
        counts[order, default: (0, 0)].all += 1
        if outcome.isRefused { counts[order, default: (0, 0)].refused += 1 }
    }

    var description: String {
        let lines = ReuploadOrder.all.map { order in
            let (all, refused) = counts[order] ?? (0, 0)
            let repeated = refused == 0 ? "" : ", \(refused) refused and repeated"
            let way = order.isBatch ? "batch" : "upload"
            return "\(way): chosen \(order.placed), named \(order.named): \(all)\(repeated)"
        }
        let missing = ReuploadOrder.all.count { counts[$0] == nil }
        return (lines + ["\(count) races in \(counts.count) orders; \(missing) orders did not occur"])
            .joined(separator: "\n")
    }
}
