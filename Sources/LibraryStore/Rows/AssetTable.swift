import FoundationEssentials
import PhotoModel

/// An asset in its rows: the document, the columns derived from it, its resources, keywords and words.
enum AssetTable {
    /// An asset's rows before it is written.
    enum Earlier {
        /// No rows.
        case nothing
        /// This asset, in the row with this key, so that unchanged rows are not written again.
        case asset(Asset, key: Int64)
        /// Unknown.
        case unknown

        fileprivate var asset: Asset? { if case .asset(let asset, _) = self { asset } else { nil } }
        fileprivate var isNothing: Bool { if case .nothing = self { true } else { false } }
    }

    /// Writes an asset and everything derived from it; its albums have separate rows.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - earlier: its current rows.
    ///   - payer: whom new resources count for, as in `resource.payer`; nil for the asset's device.
    ///   - database: the database.
    /// - Returns: the asset's key.
    /// - Throws: the database's error.
    @discardableResult
    static func save(
        _ asset: Asset,
        over earlier: Earlier = .unknown,
        paidBy payer: Data? = nil,
        _ database: any SQLSession
    ) throws -> Int64 {
        var asset = asset
        if asset.resources != earlier.asset?.resources { try JobTable.describe(&asset, database) }
        var document = asset
        document.albums = []
        document.assumedUTCOffsetSeconds = assumedOffset(of: asset, database)
        let formerCapture = try formerCapture(of: asset.id, earlier, database)
        let civil = CivilTime(document.captureDate, utcOffsetSeconds: document.utcOffsetSeconds)
        let capture = document.localCaptureDate.microsecondsSince1970
        let values: SQLArguments = [
            try JSONColumn.encode(document), asset.mediaType.rawValue,
            Int64(bitPattern: UInt64(asset.mediaSubtypes.rawValue)), asset.playbackStyle.rawValue,
            asset.captureDate.microsecondsSince1970, capture, civil.year * 12 + civil.month - 1,
            asset.additionDate?.microsecondsSince1970 ?? .min, asset.deviceID?.blob, asset.rating.rawValue,
            asset.isFavorite, asset.isHidden, asset.trashedAt != nil, asset.burst != nil,
            asset.burst?.standsOut ?? true, asset.location?.latitude, asset.location?.longitude,
            asset.burst?.id.description,
        ]
        let key = try saveRow(of: asset, values, over: earlier, database)
        try saveParts(of: asset, over: earlier, key: key, paidBy: payer, database)
        if asset.searchableTexts != earlier.asset?.searchableTexts || capture != formerCapture {
            let words = Set(asset.searchableTexts.flatMap(SearchText.words(of:))).sorted().joined(separator: " ")
            let hadWords = earlier.asset.map { !$0.searchableTexts.isEmpty } ?? true
            try WordTable.save(words, of: key, capturedAt: (capture, hadWords ? formerCapture : nil), database)
        }
        return key
    }

    /// Writes the row in `asset`; returns its key.
    private static func saveRow(
        of asset: Asset,
        _ values: SQLArguments,
        over earlier: Earlier,
        _ database: any SQLSession
    ) throws -> Int64 {
        // Nobody has to wait for a key that is known; and an upsert in PostgreSQL uses up a new one.
        if case .asset(_, let key) = earlier {
            try database.statement(update).execute(values + [key])
            return key
        }
        let capture: SQLArguments = [asset.id.blob, try asset.location.map { try JSONColumn.encode($0) }]
        guard let key = try database.statement(upsert).value(Int64.self, capture + values) else {
            throw RowDamage("an asset without a key")
        }
        return key
    }

    /// The UTC offset assumed for a capture without its own, by the library's time zone; nil if none is assumed.
    static func assumedOffset(of asset: Asset, _ database: any SQLSession) -> Int? {
        guard asset.captureTime.utcOffsetSeconds == nil else { return nil }
        let instant = Date(timeIntervalSince1970: Double(asset.captureDate.microsecondsSince1970) / 1_000_000)
        let offset = database.timeZone.secondsFromGMT(for: instant)
        return offset == 0 ? nil : offset
    }

    /// The local date by which the asset's words are currently indexed, in microseconds; nil without rows.
    private static func formerCapture(of id: AssetID, _ earlier: Earlier, _ database: any SQLSession) throws -> Int64? {
        switch earlier {
        case .nothing: return nil
        case .asset(let asset, _): return asset.localCaptureDate.microsecondsSince1970
        case .unknown:
            let statement = try database.statement("SELECT local_date FROM asset WHERE id = ?")
            return try statement.value(Int64.self, [id.blob])
        }
    }

    /// The columns that follow the asset; what it was captured with stays, and ``setTrashed(at:key:_:)`` has its own.
    private static let columns = [
        "document", "media_type", "media_subtypes", "playback_style", "capture_date", "local_date", "capture_month",
        "addition_date", "device", "rating", "is_favorite", "is_hidden", "is_trashed", "in_burst", "stands_out",
        "latitude", "longitude", "burst",
    ]

    private static let upsert = """
        INSERT INTO asset (id, captured_at, \(columns.joined(separator: ", ")))
        VALUES (?, ?, \(columns.map { _ in "?" }.joined(separator: ", ")))
        ON CONFLICT (id) DO UPDATE SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        RETURNING key
        """

    private static let update = """
        UPDATE asset SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE key = ?
        """

    /// Records when the server learned that an asset is in the trash, by which the trash is emptied; nil for one that is not.
    ///
    /// The date in the document is only shown: devices push it. Backups and moves keep both.
    static func setTrashed(at time: WallTime?, key: Int64, _ database: any SQLSession) throws {
        let statement = try database.statement("UPDATE asset SET trashed_at = ? WHERE key = ?")
        try statement.execute([time?.microsecondsSince1970, key])
    }

    private static func saveParts(
        of asset: Asset,
        over earlier: Earlier,
        key: Int64,
        paidBy payer: Data?,
        _ database: any SQLSession
    ) throws {
        if asset.resources != earlier.asset?.resources {
            try saveResources(of: asset, over: earlier, key: key, paidBy: payer, database)
        }
        if asset.keywords != earlier.asset?.keywords {
            try saveKeywords(of: asset, over: earlier, key: key, database)
        }
    }

    private static func saveKeywords(
        of asset: Asset,
        over earlier: Earlier,
        key: Int64,
        _ database: any SQLSession
    ) throws {
        let former = earlier.asset?.keywords ?? []
        let text = database.dialect.keyword("?")
        if case .unknown = earlier { try database.statement("DELETE FROM keyword WHERE asset = ?").execute([key]) }
        for word in former.subtracting(asset.keywords) {
            try database.statement("DELETE FROM keyword WHERE asset = ? AND text = \(text)").execute([key, word.text])
        }
        let insert = try database.statement("INSERT INTO keyword (asset, text) VALUES (?, \(text))")
        for word in asset.keywords.subtracting(former) { try insert.execute([key, word.text]) }
    }

    private static func saveResources(
        of asset: Asset,
        over earlier: Earlier,
        key: Int64,
        paidBy payer: Data?,
        _ database: any SQLSession
    ) throws {
        var (old, new) = ([DeviceID: DeviceUsage](), [DeviceID: DeviceUsage]())
        var payers: [Data: Data?] = [:]
        if !earlier.isNothing {
            old = try UsageTable.shares(ofAsset: key, of: asset.deviceID, database)
            let known = try database.statement("SELECT id, payer FROM resource WHERE asset = ?").rows([key])
            for row in known { payers.updateValue(try row["payer"], forKey: try row["id"]) }
            try database.statement("DELETE FROM resource WHERE asset = ?").execute([key])
        }
        let resource = try database.statement("INSERT INTO resource (asset, id, digest, payer) VALUES (?, ?, ?, ?)")
        if let device = asset.deviceID { new[device] = DeviceUsage(assets: 1, bytes: 0) }
        for part in asset.resources {
            let payer: Data? = payers[part.id.blob] ?? payer
            try resource.execute([key, part.id.blob, part.digest.blob, payer])
            guard let device = try UsageTable.payer(payer, asset.deviceID) else { continue }
            new[device, default: DeviceUsage()].add(bytes: part.byteCount)
        }
        try UsageTable.change(from: old, to: new, database)
    }

    /// One asset; nil if it does not exist.
    static func fetch(_ id: AssetID, _ database: any SQLSession) throws -> Asset? {
        let statement = try database.statement("SELECT \(wholeColumns(database.dialect)) FROM asset WHERE id = ?")
        return try statement.row([id.blob]).map(assembled)
    }

    /// Those of the assets that exist, in any order.
    static func fetch(_ ids: some Collection<AssetID>, _ database: any SQLSession) throws -> [Asset] {
        let statement = try database.statement(
            """
            SELECT \(wholeColumns(database.dialect)) FROM asset WHERE id IN (\(database.dialect.bytes(in: "?")))
            """
        )
        return try statement.rows([FilterSQL.list(ids.map(\.blob))]).map(assembled)
    }

    /// One asset as a view shows it; nil if it does not exist or is not in the view, in the same time.
    ///
    /// Otherwise a limited viewer could learn from the response time what exists outside its view. So the row at or
    /// after the identifier is always read and judged, and only then compared with the identifier.
    static func fetch(_ id: AssetID, in view: LibraryView, _ database: any SQLSession) throws -> Asset? {
        try read(id, in: view, database).asset
    }

    /// The same, with the bytes of the document that was read.
    static func read(
        _ id: AssetID,
        in view: LibraryView,
        _ database: any SQLSession
    ) throws -> (asset: Asset?, documentBytes: Int) {
        let whole = wholeColumns(database.dialect)
        let exact = "SELECT \(whole) FROM asset WHERE id = ?1"
        let judged = """
            SELECT document, albums FROM (SELECT \(whole) FROM asset WHERE id >= ?1 ORDER BY id LIMIT 1) AS next
            UNION ALL SELECT document, albums FROM (SELECT \(whole) FROM asset ORDER BY id LIMIT 1) AS first
            LIMIT 1
            """
        guard let row = try database.statement(view == .everything ? exact : judged).row([id.blob]) else {
            return (nil, 0)
        }
        let document: String = try row["document"]
        let asset = try view.shown(assembled(row))
        return (asset?.id == id ? asset : nil, document.utf8.count)
    }

    /// An asset as its row has it.
    struct Stored {
        let key: Int64
        /// The asset without its albums.
        let asset: Asset
        /// Its original place, whatever was set since.
        let originalLocation: Location?

        fileprivate init(_ row: SQLRow) throws {
            let place: String? = try row["captured_at"]
            key = try row["key"]
            asset = try JSONColumn.decode(row["document"])
            originalLocation = try place.map { try JSONColumn.decode($0) }
        }
    }

    /// One asset in its row; nil if it does not exist.
    static func stored(_ id: AssetID, _ database: any SQLSession) throws -> Stored? {
        let statement = try database.statement("SELECT key, document, captured_at FROM asset WHERE id = ?")
        return try statement.row([id.blob]).map { try Stored($0) }
    }

    /// The assets that exist of at most ``ByteList/count``, in their rows.
    static func stored(_ ids: [AssetID], _ database: any SQLSession) throws -> [AssetID: Stored] {
        guard !ids.isEmpty else { return [:] }
        let statement = try database.statement(
            "SELECT key, document, captured_at FROM asset WHERE id IN \(ByteList.marks)"
        )
        let rows = try statement.rows(ByteList.arguments(ids.map(\.blob)))
        let assets = try rows.map { try Stored($0) }
        return Dictionary(assets.map { ($0.asset.id, $0) }) { first, _ in first }
    }

    /// The key of an asset; nil if it does not exist.
    static func key(of id: AssetID, _ database: any SQLSession) throws -> Int64? {
        try database.statement("SELECT key FROM asset WHERE id = ?").value(Int64.self, [id.blob])
    }

    /// What a row of `asset` needs for a whole asset, see ``assembled(_:)``.
    static func wholeColumns(_ dialect: any SQLDialect) -> String { "document, \(albumsColumn(dialect))" }

    /// The albums of a row of `asset`, for ``albums(_:)``.
    static func albumsColumn(_ dialect: any SQLDialect) -> String {
        "(SELECT \(dialect.list("album")) FROM album_member WHERE album_member.asset = asset.key) AS albums"
    }

    /// An asset assembled from its document and its albums.
    static func assembled(_ row: SQLRow) throws -> Asset {
        var asset = try JSONColumn.decode(row["document"], as: Asset.self)
        let list: String? = try row["albums"]
        asset.albums = Set(try albums(list))
        return asset
    }

    /// The albums in a list as the dialect writes it; nil for none.
    static func albums(_ list: String?) throws -> [AlbumID] {
        try list?.split(separator: ",").map { digits in
            guard let bits = UInt128(digits, radix: 16) else { throw RowDamage("an album's identifier") }
            return AlbumID(rawValue: bits)
        } ?? []
    }

    /// Removes an asset with everything derived from it.
    static func remove(_ id: AssetID, _ database: any SQLSession) throws {
        let row = try database.row("SELECT key, device, local_date FROM asset WHERE id = ?", [id.blob])
        guard let row else { return }
        let key: Int64 = try row["key"]
        let device: Data? = try row["device"]
        let owner = try device.map(DeviceID.init(blob:))
        try UsageTable.change(from: UsageTable.shares(ofAsset: key, of: owner, database), to: [:], database)
        try WordTable.remove(key, capturedAt: row["local_date"], database)
        try database.statement("DELETE FROM asset WHERE key = ?").execute([key])
    }
}
