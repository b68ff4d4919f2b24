import FoundationEssentials
import GRDB
import LibraryAPI
import Logging
import ObjectStorage
import Persistence
import PhotoModel
import PostgreSQL

/// A library arriving at a new place, by a restore or a move; a library only after ``finish()``.
///
/// The file `tintype-arriving`, an object of that name in a bucket, and a mark in a schema contain the library's and
/// the arrival's identifiers. An interrupted attempt is continued; anything else in the place is refused.
struct LibraryArrival: Sendable {
    let library: LibraryID
    let id: ArrivalID
    let place: LibraryPlace
    /// Whether the originals stay in their bucket.
    let keepsBucket: Bool
    let blocking: BlockingPool
    private let files = PosixFileSystem()

    var layout: LibraryLayout { place.layout }

    /// Begins an arrival, or continues an interrupted one.
    ///
    /// - Parameters:
    ///   - library: the library.
    ///   - place: the new place.
    ///   - keepsBucket: whether the originals are there already.
    ///   - new: the identifier to use for a new arrival.
    ///   - writes: whether to mark the place, or only to check it.
    ///   - blocking: the threads for blocking calls.
    /// - Returns: the arrival.
    /// - Throws: `exists` for a folder or schema that contains something else, ``ForeignBucketError`` for such a
    ///   bucket.
    static func begin(
        _ library: LibraryID,
        at place: LibraryPlace,
        keepsBucket: Bool,
        new: ArrivalID,
        writes: Bool,
        blocking: BlockingPool
    ) async throws -> LibraryArrival {
        let known = try await blocking.run { try find(library, in: place.layout) }
        let arrival = LibraryArrival(library, known ?? new, place, keepsBucket, blocking)
        try await blocking.run { try place.metadata.requireRoom(arrival: arrival.id) }
        let bucketIsMarked = try await arrival.requireBucket(isResumed: known != nil)
        guard writes else { return arrival }
        try await blocking.run { try arrival.createFolders() }
        if !bucketIsMarked, case .bucket(let client, _) = place.originals {
            try await client.put(ObjectKeys.arriving, Array(arrival.line.utf8))
        }
        return arrival
    }

    init(_ library: LibraryID, _ id: ArrivalID, _ place: LibraryPlace, _ keepsBucket: Bool, _ blocking: BlockingPool) {
        self.library = library
        self.id = id
        self.place = place
        self.keepsBucket = keepsBucket
        self.blocking = blocking
    }

    private var line: String { "tintype-arriving 1 \(library) \(id)\n" }

    /// The arrival begun in a folder; nil if it is empty or missing.
    static func find(_ library: LibraryID, in layout: LibraryLayout) throws -> ArrivalID? {
        let files = PosixFileSystem()
        guard try files.status(layout.root) != nil else { return nil }
        let names = try files.list(layout.root)
        guard !names.isEmpty else { return nil }
        guard let bytes = try files.readAll(layout.arriving, maximumByteCount: 256) else {
            throw layout.notEmpty(names)
        }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 4, words[0] == "tintype-arriving", words[1] == "1", words[2] == library.description,
            let id = ArrivalID(words[3])
        else {
            throw PersistenceError(
                .exists,
                "create",
                layout.root.text,
                "another library is arriving there: finish that, or name an empty directory"
            )
        }
        return id
    }

    /// Whether the bucket has this arrival's mark, or needs none.
    ///
    /// - Throws: ``ForeignBucketError`` if it contains something else.
    private func requireBucket(isResumed: Bool) async throws -> Bool {
        guard case .bucket(let client, _) = place.originals, !keepsBucket else { return true }
        if let found = try await client.small(ObjectKeys.arriving) {
            guard found == Array(line.utf8) else { throw ForeignBucketError.notEmpty }
            return true
        }
        if let marker = try await client.small(ObjectKeys.marker) {
            // The last step before the folder's own marker.
            guard isResumed, marker == ObjectKeys.markerLine(library) else { throw ForeignBucketError.notEmpty }
            return true
        }
        guard try await client.list("").objects.allSatisfy({ $0.key.hasPrefix(".tintype/") }) else {
            throw ForeignBucketError.notEmpty
        }
        return false
    }

    private func createFolders() throws {
        try files.createDirectories(layout.root)
        try files.writeAtomically(layout.arriving, Array(line.utf8))
        let own = place.originals.isFolder ? [layout.originals, layout.journals, layout.quarantine] : []
        for directory in [layout.staging, layout.derivatives] + own { try files.createDirectories(directory) }
    }

    /// The receiver of the originals, which looks up the existing ones.
    func contents() async throws -> any ContentArrival {
        let store = place.originals.store(layout, in: files, blocking: blocking, isShared: false)
        guard let store = store as? ObjectContentStore else {
            return FolderArrival(originals: layout.originals, files: files, blocking: blocking)
        }
        return try await keepsBucket ? KeptOriginals(store) : BucketArrival(store, id)
    }

    /// Receives the rows: a SQLite file is written into the folder and adapted to the new place; it stays there or
    /// fills a schema.
    ///
    /// - Parameters:
    ///   - contents: the new place of the originals.
    ///   - missing: contents without bytes, which devices are asked for.
    ///   - time: the current time.
    ///   - logger: receives a warning if text was removed.
    ///   - write: writes the file.
    /// - Throws: errors of either database.
    func takeRows(
        _ contents: any ContentArrival,
        missing: [ContentDigest],
        at time: WallTime,
        logger: Logger,
        write: (Path) async throws -> Void
    ) async throws {
        try await blocking.run { try removeDatabase() }
        try await write(layout.database)
        try await blocking.run {
            let changed = try adapt(contents, missing, time)
            if changed > 0 {
                logger.warning(
                    "texts contained NUL, which PostgreSQL cannot read: it was removed",
                    metadata: ["rows": "\(changed)"]
                )
            }
            guard case .postgresql(let settings) = place.metadata else {
                return try files.synchronizeDirectory(layout.root)
            }
            try ConnectionPool(settings).writeBlocking(lock: PostgreSQLSchema.lock(settings.schema)) { connection in
                try PostgreSQLImport(connection: connection, schema: settings.schema, arrival: id).take(layout.database)
            }
            try removeDatabase()
        }
    }

    private func removeDatabase() throws {
        for suffix in ["", "-wal", "-shm"] {
            let path = layout.root.appending(layout.database.name + suffix)
            if try files.status(path) != nil { try files.unlink(path) }
        }
    }

    /// Sets the contents' new addresses, and removes what is left behind: uploads in progress, and quarantine.
    ///
    /// - Returns: how many rows lost a NUL.
    private func adapt(_ contents: any ContentArrival, _ missing: [ContentDigest], _ time: WallTime) throws -> Int {
        let file = try SQLiteRowStore.opening(layout.database).openSerially()
        let changed = try file.write { database -> Int in
            let session = SQLiteSession(database: database)
            var last: ContentDigest?
            while true {
                let page = try CommitTable.contents(after: last, limit: 4096, session)
                guard let end = page.last else { break }
                last = end.address.digest
                for row in page {
                    let address = contents.address(of: row)
                    guard address != row.address else { continue }
                    try session.statement("UPDATE content SET file_extension = ? WHERE digest = ?")
                        .execute([address.suffix, address.digest.blob])
                }
            }
            for digest in missing {
                try session.execute(
                    "INSERT INTO missing_content (digest, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    [digest.blob, time.microsecondsSince1970]
                )
            }
            try session.execute("DELETE FROM creation")
            try session.execute("DELETE FROM quarantine")
            guard case .postgresql = place.metadata else { return 0 }
            return try Self.removeNUL(session)
        }
        try file.close()
        return changed
    }

    /// Removes NUL, as earlier versions took it, from the JSON columns: PostgreSQL refuses to read any field of such a
    /// document, and to index it.
    private static func removeNUL(_ session: SQLiteSession) throws -> Int {
        var count = 0
        for (table, column) in [("asset", "document"), ("device", "record"), ("device", "profile")] {
            // An escaped backslash before `u0000` is put aside: that is no NUL. No JSON contains a bare U+0001.
            try session.execute(
                #"""
                UPDATE \#(table) SET \#(column) =
                    replace(replace(replace(\#(column), '\\', char(1)), '\u0000', ''), char(1), '\\')
                WHERE instr(\#(column), '\u0000') > 0
                """#
            )
            count += session.changesCount
        }
        return count
    }

    /// Opens the received rows.
    func rows(_ effects: StoreEffects) async throws -> SQLMetadataStore {
        try await blocking.run {
            let rows: any RowStore =
                switch place.metadata {
                case .folder: try SQLiteRowStore(layout, isNew: false, timeZone: .gmt, blocking: blocking)
                case .postgresql(let settings):
                    try PostgreSQLRowStore(settings, isNew: false, timeZone: .gmt, arrival: id)
                }
            return try SQLMetadataStore(
                over: rows,
                library: library,
                isNew: false,
                timeZone: nil,
                effects: effects,
                blocking: blocking
            )
        }
    }

    /// Makes the place a library; may be repeated.
    func finish() async throws {
        if case .postgresql(let settings) = place.metadata {
            try await PostgreSQLRowStore(reading: settings).pool.write(lock: "") { try SchemaMark.remove($0) }
        }
        if case .bucket(let client, _) = place.originals, !keepsBucket {
            try await client.put(ObjectKeys.marker, ObjectKeys.markerLine(library))
            try await client.delete(ObjectKeys.arriving)
        }
        try await blocking.run {
            try layout.mark(library, in: files)
            try files.unlink(layout.arriving)
            try files.synchronizeDirectory(layout.root)
        }
    }
}
