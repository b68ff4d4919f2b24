import AgentCapture
import AgentStore
import Immich
import LibraryClient
import MediaFiles
import Persistence
import PhotoModel

/// Imports an Immich server's assets into the queue.
struct ImmichIntake: ImmichReceiver {
    /// The import ended early; the outcome says why.
    private struct Ended: Error {}

    private let importer: Importer
    private let pool: BlockingPool
    private var outcome = Importer.Outcome()

    /// Imports everything, and returns the work done with why it ended early if it did; a repeated import fetches
    /// nothing twice.
    ///
    /// - Throws: `ImmichError`; what the file system and the queue throw.
    static func run(
        _ immich: ImmichLibrary,
        _ importer: Importer,
        on pool: BlockingPool
    ) async throws -> Importer.Outcome {
        var intake = Self(importer: importer, pool: pool)
        do {
            if importer.options.isDryRun {
                try await immich.items(&intake) { item, intake in
                    if try await immich.isKnown(item, by: &intake) { return }
                    intake.outcome.report.added += 1
                    if item.isLivePhoto { intake.outcome.report.livePhotos += 1 }
                }
            } else {
                try await immich.send(to: &intake)
            }
        } catch is Ended {
            return intake.outcome
        } catch let error as AgentStoreError where error.code == .full {
            intake.outcome.obstacle = error
        }
        return intake.outcome
    }

    var makeRoom: @Sendable (Int64) throws -> Void {
        { [importer] byteCount in try importer.store.makeSpace(for: byteCount, importer.limits) }
    }

    mutating func leaveBehind(_ remark: MediaCollection.Remark) { outcome.report.leftBehind.append(remark.description) }

    mutating func fail(_ remark: MediaCollection.Remark) { outcome.report.failed.append(remark.description) }

    mutating func has(_ asset: AssetID, in albums: [String]) async throws -> Bool {
        try checkStop()
        let isThere = try await pool.run { [store = importer.store] in try store.entry(asset) != nil }
        if isThere { outcome.report.known += 1 }
        return isThere
    }

    mutating func take(_ group: MediaCollection.Group) async throws -> AssetID? {
        try checkStop()
        let (asset, taken) = try await pool.run { [importer, outcome] in
            var outcome = outcome
            return (try importer.take(group, &outcome), outcome)
        }
        outcome = taken
        if outcome.obstacle != nil { throw Ended() }
        return asset
    }

    private mutating func checkStop() throws {
        guard importer.mustStop() else { return }
        outcome.isStopped = true
        throw Ended()
    }
}

extension ImmichLibrary {
    /// The library of a server, for imports into the queue of an agent, whose folder is on the queue's file system; the
    /// key belongs to the person whose photos are imported.
    ///
    /// - Throws: `ImmichError` if the key is malformed; `PersistenceError`.
    init(_ transport: any Transport, _ origin: ServerOrigin, key: String, in folder: Path) throws {
        let fileSystem = PosixFileSystem()
        self.init(
            try ImmichServer(transport, key: key),
            try ImmichLedger(of: "\(origin)", in: folder, fileSystem),
            through: folder.appending("immich-files"),
            in: fileSystem
        )
    }
}

extension AgentError {
    /// Describes why Immich cannot be imported from.
    init(_ error: ImmichError) {
        let exit: AgentExit =
            switch error.code {
            case .unreachable: .unreachable
            case .notAllowed: .notAllowed
            case .notUnderstood: .failed
            case .noKey: .usage
            }
        self.init(exit, error.description)
    }
}
