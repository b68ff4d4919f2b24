package import LibraryAPI
package import Logging
import Persistence
package import PhotoModel

/// Moves a library to another place, between SQLite and PostgreSQL, and between folder and bucket.
///
/// 1. Originals are copied, hashed on the way, even while the old server runs.
/// 2. Once it is stopped: the remaining originals, the keys, and the rows as one SQLite file, the format of backups.
/// 3. Both places are compared, see `LibraryComparison`.
/// 4. The old place is marked as left, and can no longer be served; then the new place becomes a library.
///
/// Library, epoch, replica and receipts stay, so that devices notice nothing. Each step may be interrupted and
/// repeated.
package struct LibraryMove: Sendable {
    /// The result of a move.
    package struct Report: Hashable, Sendable, Codable {
        /// How far it got.
        package enum State: String, Hashable, Sendable, Codable {
            /// Nothing was written, as requested.
            case planned
            /// Originals were copied; the old server still runs.
            case copied
            /// The library is in the new place, and only there.
            case moved
        }

        /// How far it got.
        package internal(set) var state: State
        /// The library.
        package let libraryID: LibraryID
        /// The new place.
        package let destination: String
        /// Contents named by the rows.
        package internal(set) var contents = 0
        /// Their bytes.
        package internal(set) var byteCount: Int64 = 0
        /// Contents copied now; an earlier attempt may have copied others.
        package internal(set) var copiedContents = 0
        /// Their bytes.
        package internal(set) var copiedBytes: Int64 = 0
        /// Contents that are missing or damaged at the old place.
        package internal(set) var missing: [ContentDigest] = []
        /// Uploads in progress, which start over in the new place.
        package internal(set) var uploads = 0
        /// The last change, the same in both places; nil before the rows are moved.
        package internal(set) var lastChange: ChangeNumber?
    }

    let source: LibraryPlace
    let destination: LibraryPlace
    let effects: StoreEffects
    let settings: LibraryStore.Settings
    let logger: Logger
    let files = PosixFileSystem()
    let blocking = BlockingPool(width: 8)

    /// Prepares a move between two places, whose folders must differ.
    package init(
        from source: LibraryPlace,
        to destination: LibraryPlace,
        effects: StoreEffects,
        settings: LibraryStore.Settings,
        logger: Logger
    ) {
        self.source = source
        self.destination = destination
        self.effects = effects
        self.settings = settings
        self.logger = logger
    }

    /// Moves the library as far as currently possible.
    ///
    /// - Parameters:
    ///   - isDry: whether only to check both places.
    ///   - acceptsMissing: whether to move a library that lacks bytes; devices that still have them are asked for them.
    ///   - progress: called after every content.
    /// - Returns: the result.
    /// - Throws: `exists` and ``ForeignBucketError`` for a new place that contains something else; `foreign` if the old
    ///   place has no library, or the library moved elsewhere; `damaged` if bytes are missing, or if both places
    ///   differ.
    package func run(
        isDry: Bool = false,
        acceptsMissing: Bool = false,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> Report {
        guard source.root != destination.root else {
            throw PersistenceError(.exists, "move", destination.root.text, "that is the old place: name a new folder")
        }
        if let departure = try await departure() { return try await conclude(departure) }
        let library = try await blocking.run { try source.layout.identify(in: files) }
        let arrival = try await LibraryArrival.begin(
            library,
            at: destination,
            keepsBucket: source.sharesBucket(with: destination),
            new: effects.identifier(),
            writes: !isDry,
            blocking: blocking
        )
        var report = Report(state: .planned, libraryID: library, destination: destination.description)
        if isDry {
            let totals = try await sharedRows(in: source).totals
            (report.contents, report.byteCount) = (totals.contents, totals.byteCount)
            return report
        }
        let store: LibraryStore
        do {
            store = try await LibraryStore.open(
                at: source.root,
                originals: source.originals,
                metadata: source.metadata,
                effects: effects,
                settings: settings,
                logger: logger
            )
        } catch let error as PersistenceError where error.code == .locked {
            try await copy(try await sharedRows(in: source), sharedContents(), arrival, &report, progress)
            report.state = .copied
            return report
        }
        defer { store.close() }
        try await move(store, arrival, acceptsMissing, &report, progress)
        return report
    }

    /// Moves a library that is not being served.
    private func move(
        _ store: LibraryStore,
        _ arrival: LibraryArrival,
        _ acceptsMissing: Bool,
        _ report: inout Report,
        _ progress: @Sendable (TransferProgress) -> Void
    ) async throws {
        try await store.recover()
        try await store.settle()
        let statistics = try await store.metadata.statistics()
        let totals = TransferProgress(contents: statistics.contents, byteCount: statistics.contentBytes)
        let rows = ContentTransfer.Rows(totals: totals) { try await store.metadata.contents(after: $0, limit: $1) }
        let contents = try await copy(rows, store.content, arrival, &report, progress)
        guard report.missing.isEmpty || acceptsMissing else {
            throw PersistenceError(
                .damaged,
                "move",
                source.root.text,
                "\(report.missing.count) contents are missing or damaged: run tintypectl library repair --hash on the old "
                    + "server and let boxes send them again, or move without them with --accept-missing"
            )
        }
        try await blocking.run { try files.copySecrets(source.layout.authority, to: destination.layout.authority) }
        report.uploads = statistics.uploads
        let missing = report.missing
        try await arrival.takeRows(contents, missing: missing, at: effects.now(), logger: logger) {
            try await store.metadata.copy(to: $0)
        }
        let arrived = try await arrival.rows(effects)
        let comparison = LibraryComparison(source: store.metadata, destination: arrived)
        let identity = try await comparison.run(arrival, missing: Set(missing))
        report.lastChange = identity.lastChange
        try await depart(Departure(arrival.library, arrival.id, to: destination.description), identity)
        try await arrival.finish()
        report.state = .moved
    }

    @discardableResult
    private func copy(
        _ rows: ContentTransfer.Rows,
        _ contents: any ContentStore,
        _ arrival: LibraryArrival,
        _ report: inout Report,
        _ progress: @Sendable (TransferProgress) -> Void
    ) async throws -> any ContentArrival {
        let taking = try await arrival.contents()
        let transfer = ContentTransfer(arrival: taking, logger: logger) { try await contents.open($0.address) }
        let outcome = try await transfer.run(rows, progress: progress)
        (report.contents, report.byteCount) = (rows.totals.contents, rows.totals.byteCount)
        (report.copiedContents, report.copiedBytes) = (outcome.copiedContents, outcome.copiedBytes)
        report.missing = outcome.missing
        return taking
    }

    /// The old place's originals, opened beside its server.
    private func sharedContents() -> any ContentStore {
        source.originals.store(source.layout, in: files, blocking: blocking, isShared: false)
    }

    /// A place's rows of contents, opened beside its server.
    func sharedRows(in place: LibraryPlace) async throws -> ContentTransfer.Rows {
        switch place.metadata {
        case .folder:
            let table = try await blocking.run { try SnapshotTable(place.layout.database) }
            return .snapshot(table, try await blocking.run { try table.totals() }, blocking)
        case .postgresql(let connections):
            let rows = PostgreSQLRowStore(reading: connections)
            let totals = try await rows.read { try CommitTable.totals($0) }
            return ContentTransfer.Rows(totals: totals) { last, limit in
                try await rows.read { try CommitTable.contents(after: last, limit: limit, $0) }
            }
        }
    }
}
