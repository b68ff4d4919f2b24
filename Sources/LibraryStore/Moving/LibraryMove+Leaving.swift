import LibraryAPI
import ObjectStorage
import Persistence
import PhotoModel
import PostgreSQL

extension LibraryMove {
    /// The mark of a library that has left the old place; nil if it is still there.
    func departure() async throws -> Departure? {
        let marker = try await blocking.run { try files.readAll(source.layout.marker, maximumByteCount: 4096) }
        if let marker, let departure = Departure(marker) { return departure }
        guard case .postgresql(let connections) = source.metadata else { return nil }
        let mark = try await PostgreSQLRowStore(reading: connections).pool.read {
            try SchemaMark.find(connections.schema, $0)
        }
        guard case .departed(let departure) = mark else { return nil }
        return departure
    }

    /// Finishes a move that was interrupted after the old place was left.
    func conclude(_ departure: Departure) async throws -> Report {
        let id = try await blocking.run {
            let isArriving = try files.status(destination.layout.arriving) != nil
            return isArriving ? try LibraryArrival.find(departure.library, in: destination.layout) : nil
        }
        if id == nil, let report = try await concluded(departure) { return report }
        guard id == departure.arrival else {
            throw PersistenceError(
                .foreign,
                "move",
                source.root.text,
                "the library moved to \(departure.place): move it from there"
            )
        }
        let keepsBucket = source.sharesBucket(with: destination)
        let arrival = LibraryArrival(departure.library, departure.arrival, destination, keepsBucket, blocking)
        try await leave(departure)
        let rows = try await arrival.rows(effects)
        let statistics = try await rows.statistics()
        try await arrival.finish()
        return Report(
            state: .moved,
            libraryID: departure.library,
            destination: destination.description,
            contents: statistics.contents,
            byteCount: statistics.contentBytes,
            lastChange: statistics.lastChange
        )
    }

    /// The report of a move that had already finished; nil if the library went elsewhere.
    private func concluded(_ departure: Departure) async throws -> Report? {
        guard departure.place == destination.description else { return nil }
        let library = try? await blocking.run { try destination.layout.identify(in: files) }
        guard library == departure.library else { return nil }
        let totals = try await sharedRows(in: destination).totals
        return Report(
            state: .moved,
            libraryID: departure.library,
            destination: destination.description,
            contents: totals.contents,
            byteCount: totals.byteCount
        )
    }

    /// Leaves the old place, which nobody can serve afterwards.
    ///
    /// The database is left first, under its lock: a forgotten server has either written nothing since, or makes the
    /// move fail.
    ///
    /// - Throws: `locked` if another server has written since the rows were copied.
    func depart(_ departure: Departure, _ identity: LibraryIdentity) async throws {
        if case .postgresql(let connections) = source.metadata {
            let isSame = try await PostgreSQLRowStore(reading: connections).write([.library]) { database in
                guard try SQLMetadataStore.identity(database) == identity,
                    let session = database as? PostgreSQLSession
                else { return false }
                try SchemaMark.departed(departure).set(session.connection)
                // Servers still running can then neither lock nor read it.
                try database.execute("ALTER TABLE library RENAME TO library_moved")
                return true
            }
            guard isSame else {
                throw PersistenceError(
                    .locked,
                    "move",
                    "the schema \(connections.schema)",
                    "another server has written to the library meanwhile: stop all its servers, and run the move again"
                )
            }
        }
        try await leave(departure)
    }

    /// Marks the rest of the old place.
    private func leave(_ departure: Departure) async throws {
        let line = Array("\(departure.line)\n".utf8)
        if case .bucket(let client, _) = source.originals, !source.sharesBucket(with: destination) {
            try await client.put(ObjectKeys.marker, line)
        }
        try await blocking.run { try files.writeAtomically(source.layout.marker, line) }
    }
}
