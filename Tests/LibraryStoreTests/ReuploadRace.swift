import LibraryAPI
import Persistence
import PhotoModel
import TestSupport

@testable import LibraryStore

/// The moments of a sweep at which a save of the same bytes may do something.
enum SweepMoment: Int, CaseIterable, Comparable, CustomStringConvertible {
    /// The sweep has not begun.
    case before
    /// The bucket has listed its objects to the sweep.
    case listed
    /// The sweep found that no row needs the object, and the bucket has it; the mark is next.
    case judged
    /// Marked; 13 hours have passed.
    case marked
    /// The marks are older than a day.
    case ripe
    /// The mark is condemned, and the deletion has reached the bucket.
    case condemned
    /// The object is deleted, and its mark is still there.
    case deleted
    /// The sweep has ended.
    case after

    /// Whether the moment only comes, or only means something, if rows let the sweep have the object.
    var needsUnwanted: Bool { self == .judged || self >= .condemned }

    static func < (left: SweepMoment, right: SweepMoment) -> Bool { left.rawValue < right.rawValue }

    var description: String {
        switch self {
        case .before: "before the sweep"
        case .listed: "listed"
        case .judged: "judged"
        case .marked: "marked"
        case .ripe: "ripe"
        case .condemned: "condemned"
        case .deleted: "deleted"
        case .after: "after the sweep"
        }
    }
}

/// When a save chooses the object that its row will name, and when the row names it.
struct ReuploadOrder: Hashable {
    /// Whether the bytes come in a batch, as an object of their own; an upload may name an object that was there.
    let isBatch: Bool
    let placed: SweepMoment
    let named: SweepMoment

    static let all = [false, true].flatMap { isBatch in
        SweepMoment.allCases.flatMap { placed in
            SweepMoment.allCases.filter { $0 >= placed }.map {
                ReuploadOrder(isBatch: isBatch, placed: placed, named: $0)
            }
        }
    }
}

/// A server that saves bytes which the bucket has already, and pauses between its steps.
///
/// The steps are the calls that `LibraryStore.commit` and `BatchReceiver` make: those would hold up all of the server's
/// commits while one of them pauses.
actor ReuploadRace {
    /// The result of a race.
    struct Outcome {
        let order: ReuploadOrder
        /// The order that it had, as far as it got.
        let happened: ReuploadOrder?
        /// Whether the server refused to name the object, and the device repeated the request.
        let isRefused: Bool
        /// What is wrong; nil for nothing.
        let problem: String?
    }

    private enum Step { case send, place, purge, name }

    private struct Unexpected: Error {}

    private static let caller = StoreCaller.device(StoreFixture.device)

    /// The bytes' digest.
    nonisolated let digest: ContentDigest
    /// A second object with the bytes, which no row ever named and which is marked after the purge; nil for none.
    ///
    /// An upload that is open when the asset is purged preserves the content's row, and the row its object: no sweep asks
    /// for that. The mark of another copy takes the row away.
    nonisolated let copy: ContentAddress?
    nonisolated private let order: ReuploadOrder
    private let fixture: StoreFixture
    /// The server that saves.
    private let server: LibraryStore
    /// The one that purges, and to which the device repeats what was refused.
    private let other: LibraryStore
    private let manifest: AssetManifest
    private let bytes: [UInt8]
    /// The asset that has the bytes at first; nil if no row names them.
    private let original: AssetID?
    private var steps: [(moment: SweepMoment, step: Step)]
    private var batch: (any BatchReception)?
    private var received: WallTime?
    /// The manifest to commit, as the library keeps it.
    private var completed: AssetManifest
    private var publications: [Publication] = []
    private var places: [ContentDigest: ContentAddress] = [:]
    private var placed: SweepMoment?
    private var named: SweepMoment?
    private var response: CommitResponse?
    private var isRefused = false
    private var problem: String?

    /// Plans a race.
    ///
    /// - Parameters:
    ///   - order: its order.
    ///   - capture: what the bucket has.
    ///   - isSaved: whether an asset has the bytes, which is purged.
    ///   - copy: where a second object may be.
    ///   - library: the servers.
    ///   - generator: chooses the servers, and when the other steps come.
    init(
        _ order: ReuploadOrder,
        of capture: (manifest: AssetManifest, bytes: [[UInt8]]),
        isSaved: Bool,
        copy: ContentAddress,
        in library: SharedLibrary,
        _ generator: inout SeededGenerator
    ) {
        self.order = order
        fixture = library.fixture
        (server, other) = generator.oneIn(2) ? (library.first, library.second) : (library.second, library.first)
        var manifest = capture.manifest
        manifest.id = library.fixture.effects.identifier()
        self.manifest = manifest
        completed = manifest
        bytes = capture.bytes[0]
        digest = capture.manifest.resources[0].digest
        original = isSaved ? capture.manifest.id : nil
        let steps = Self.steps(of: order, isSaved: isSaved, &generator)
        self.steps = steps
        let needsCopy = order.placed.needsUnwanted || order.named.needsUnwanted
        self.copy = Self.preservesRow(steps) && (needsCopy || generator.oneIn(2)) ? copy : nil
    }

    private static func steps(
        of order: ReuploadOrder,
        isSaved: Bool,
        _ generator: inout SeededGenerator
    ) -> [(moment: SweepMoment, step: Step)] {
        var steps: [(moment: SweepMoment, step: Step)] = [(order.placed, .place), (order.named, .name)]
        if !order.isBatch {
            steps.insert((generator.pick(SweepMoment.allCases.filter { $0 <= order.placed }), .send), at: 0)
        }
        guard isSaved else { return steps }
        guard choosesOriginal(order) else {
            let moment = generator.pick([SweepMoment.before, .listed])
            let next = steps.firstIndex { $0.moment >= moment } ?? steps.endIndex
            steps.insert((moment, .purge), at: next)
            return steps
        }
        // The row goes after the upload has chosen the object that it names.
        let isLast = order.named == order.placed && generator.oneIn(2)
        steps.insert((order.placed, .purge), at: isLast ? steps.endIndex : steps.endIndex - 1)
        return steps
    }

    /// Whether an upload begins before the asset is purged.
    private static func preservesRow(_ steps: [(moment: SweepMoment, step: Step)]) -> Bool {
        guard let purged = steps.firstIndex(where: { $0.step == .purge }) else { return false }
        return steps[..<purged].contains { $0.step == .send }
    }

    /// Whether an upload chooses an object whose asset is purged early enough for the sweep to delete it.
    static func choosesOriginal(_ order: ReuploadOrder) -> Bool { !order.isBatch && order.placed <= .listed }

    /// Whether the sweep's request for an object with the bytes is one of the order's moments: if the asset's object was
    /// chosen, only requests for that one are.
    func waits(for key: String) -> Bool {
        guard Self.choosesOriginal(order), let place = places[digest] else { return true }
        return key.hasSuffix("/\(place.fileName)")
    }

    /// Takes the steps that are due at a moment.
    func run(through moment: SweepMoment) async {
        while let next = steps.first, next.moment <= moment, problem == nil {
            steps.removeFirst()
            do {
                try await take(next.step, at: moment)
            } catch {
                problem = "\(next.step) at \(moment): \(error)"
            }
        }
    }

    /// Lets time pass, as the rows' marks see it.
    func age(by duration: Duration) { received = received?.advanced(by: .zero - duration) }

    /// Saves again if the server refused, as the device does.
    func repeatRefused() async {
        guard isRefused, response == nil, problem == nil else { return }
        do {
            response = try await fixture.save(manifest, [bytes], by: Self.caller, to: other)
        } catch {
            problem = "repeated: \(error)"
        }
    }

    /// The outcome, once the sweeps are over: the receipt is true, and both servers return the bytes.
    func outcome() async -> Outcome {
        if problem == nil {
            do {
                problem = try await untruth()
            } catch {
                problem = "\(error)"
            }
        }
        var happened: ReuploadOrder?
        if let placed, let named { happened = ReuploadOrder(isBatch: order.isBatch, placed: placed, named: named) }
        return Outcome(order: order, happened: happened, isRefused: isRefused, problem: problem)
    }

    private func untruth() async throws -> String? {
        guard let receipt = response?.receipt.receipt else { return "no receipt" }
        guard receipt.covers(manifest.id, resources: manifest.resources) else { return "a receipt for something else" }
        for store in [server, other] {
            let open = try await store.open(manifest.resources[0].id, of: manifest.id, in: .everything)
            guard try await open.read(1000, at: 0) == bytes else { return "other bytes" }
        }
        return nil
    }

    private func take(_ step: Step, at moment: SweepMoment) async throws {
        switch step {
        case .send:
            let upload = try await server.create(manifest, by: Self.caller).uploads[0]
            try await fixture.send(bytes, to: upload, by: Self.caller, server)
        case .purge:
            guard let original else { throw Unexpected() }
            _ = try await other.metadata.trash(original, in: .everything, by: Self.caller)
            try await other.purge(original, by: .administrator("ana"))
            if let copy { try await other.quarantine([copy], reason: "no row names it") }
        case .place:
            placed = moment
            if order.isBatch { try await receiveBatch() } else { try await planCommit() }
            for result in await server.content.publish(publications) {
                let place = try result.get()
                places[place.digest] = place
            }
            let isOriginal = !order.isBatch && places[digest] == publications.first?.address
            guard isOriginal || !Self.choosesOriginal(order) else { throw Unexpected() }
        case .name:
            named = moment
            try await name()
        }
    }

    private func receiveBatch() async throws {
        received = try await server.metadata.receivingTime()
        let new = try await server.content.receiveBatch("\(server.effects.identifier(UploadID.self))")
        batch = new
        let address = ContentAddress(digest, contentType: manifest.resources[0].contentType)
        try await new.take([.begin(address, byteCount: Int64(bytes.count)), .bytes(bytes), .end])
        publications = try await new.finish().map(\.publication)
    }

    private func planCommit() async throws {
        let plan = try await server.metadata.planCommit(manifest.id, by: Self.caller)
        guard case .publish(let planned, let kept) = plan else { throw Unexpected() }
        (publications, completed) = (planned, kept)
    }

    private func name() async throws {
        var request = CommitRequest(manifest: completed, caller: Self.caller, needsCreation: !order.isBatch)
        request.received = received
        request.places = places
        let result = await server.metadata.commit([request])[0]
        batch?.end()
        switch result {
        case .success(let given):
            response = given.response
            await server.forget(given.ended)
        case .failure(let error):
            guard StoreError.wrapping(error).code == .unavailable else { throw error }
            isRefused = true
        }
    }
}
