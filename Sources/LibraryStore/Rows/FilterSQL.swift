import Authorization
import FoundationEssentials
import PhotoModel

/// The filter tree as a condition on the table `asset`; a property test compares it with the evaluator in memory.
///
/// Every condition is true or false and never null, so that `NOT` means what it does in Swift.
struct FilterSQL {
    /// How to test an asset's membership in a search's matches, a keyword's assets, or an album.
    enum Membership {
        /// SQLite may start from the members.
        case asked
        /// SQLite starts from these members' keys.
        case leader([Int64])
        /// The members are collected first, and each asset is looked up among them.
        case collected
        /// Each asset is tested.
        case probe
        /// Each asset is tested by its own rows, and the engine may not start from the members: what it does depends on
        /// no other asset.
        case alone
    }

    private(set) var sql = ""
    private(set) var arguments: SQLArguments = []
    private let forms: [AssetFilter: Membership]
    /// The form of memberships not listed in `forms`.
    private let standard: Membership
    private let dialect: any SQLDialect

    /// The condition of a filter.
    init(_ filter: AssetFilter, _ dialect: any SQLDialect, _ forms: [AssetFilter: Membership] = [:]) {
        self.forms = forms
        self.standard = .asked
        self.dialect = dialect
        append(filter)
    }

    /// The condition of a list's options, without order and limit.
    init(
        _ options: FetchOptions,
        _ dialect: any SQLDialect,
        _ forms: [AssetFilter: Membership] = [:],
        standard: Membership = .asked
    ) {
        self.forms = forms
        self.standard = standard
        self.dialect = dialect
        add("is_trashed = ?", options.showsTrash)
        if !options.includesHidden { add(" AND is_hidden = 0") }
        if !options.includesAllBurstAssets { add(" AND stands_out = 1") }
        if let filter = options.filter {
            add(" AND ")
            append(filter)
        }
    }

    /// The condition of a view.
    ///
    /// If it leads, SQLite starts from the assets that the view names, and not from the index of a list.
    init(
        _ view: LibraryView,
        _ dialect: any SQLDialect,
        _ forms: [AssetFilter: Membership] = [:],
        standard: Membership = .asked,
        isLeading: Bool = false
    ) {
        self.forms = forms
        self.standard = standard
        self.dialect = dialect
        switch view {
        case .everything: add("TRUE")
        case .own(let device): add("device IS NOT DISTINCT FROM ?", device.blob)
        case .selection(let selection, let device):
            let trash = isLeading ? "+is_trashed" : "is_trashed"
            add("(is_hidden = 0 AND \(trash) = 0 AND (device IS NOT DISTINCT FROM ?", device.blob)
            if !selection.assets.isEmpty {
                add(" OR id IN (\(dialect.bytes(in: "?")))", Self.list(selection.assets.map(\.blob)))
            }
            if !selection.grantedAlbums.isEmpty {
                let granted = "album IN (\(dialect.bytes(in: "?")))"
                let condition =
                    if case .probe = standard {
                        "EXISTS (SELECT 1 FROM album_member WHERE asset = key AND \(granted))"
                    } else {
                        "key IN (SELECT asset FROM album_member WHERE \(granted))"
                    }
                add(" OR \(condition)", Self.list(selection.grantedAlbums.map(\.blob)))
            }
            for rule in selection.rules {
                add(" OR ")
                append(rule)
            }
            add("))")
        }
    }

    /// Byte strings as an argument of ``SQLDialect/bytes(in:)``.
    static func list(_ blobs: [Data]) -> String {
        "[" + blobs.map { "\"\(HexadecimalText.text($0))\"" }.joined(separator: ",") + "]"
    }

    private mutating func add(_ text: String, _ values: (any SQLEncodable)?...) {
        sql += text
        arguments += SQLArguments(values)
    }

    private mutating func append(_ filter: AssetFilter) {
        switch filter {
        case .kind(let kind): append(kind)
        case .playbackStyle(let style): add("playback_style = ?", style.rawValue)
        case .captured(let range):
            add("(TRUE")
            if let from = range.from { append(from, ">=", marginSeconds: -LocalTime.offsets.upperBound) }
            if let until = range.until { append(until, "<", marginSeconds: LocalTime.offsets.upperBound) }
            add(")")
        case .device(let id): add("device IS NOT DISTINCT FROM ?", id.blob)
        case .album, .keyword, .text: append(membership: filter)
        case .rating(let least): add("rating >= ?", least.rawValue)
        case .near(let circle): append(circle)
        case .inside(let box): append(box)
        case .any(let filters): append(filters, joinedBy: " OR ", whenEmpty: "FALSE")
        case .all(let filters): append(filters, joinedBy: " AND ", whenEmpty: "TRUE")
        case .not(let filter):
            add("NOT (")
            append(filter)
            add(")")
        }
    }

    /// One end of a range; an instant also bounds the local dates around it, because the timeline's index has only
    /// those.
    private mutating func append(_ bound: AssetFilter.DateBound, _ comparison: String, marginSeconds: Int) {
        switch bound {
        case .local(let time): add(" AND local_date \(comparison) ?", time.microsecondsSince1970)
        case .instant(let time):
            let microseconds = time.microsecondsSince1970
            add(" AND capture_date \(comparison) ?", microseconds)
            add(" AND local_date \(comparison) ?", microseconds + Int64(marginSeconds) * 1_000_000)
        }
    }

    private mutating func append(_ filters: [AssetFilter], joinedBy word: String, whenEmpty: String) {
        guard let first = filters.first else { return add(whenEmpty) }
        add("(")
        append(first)
        for filter in filters.dropFirst() {
            add(word)
            append(filter)
        }
        add(")")
    }

    private mutating func append(_ kind: AssetFilter.Kind) {
        func subtype(_ bit: MediaSubtypes) -> String { "media_subtypes & \(bit.rawValue) <> 0" }
        let condition =
            switch kind {
            case .images: "media_type = \(MediaType.image.rawValue)"
            case .videos: "media_type = \(MediaType.video.rawValue)"
            case .livePhotos: subtype(.photoLive)
            case .screenshots: subtype(.photoScreenshot)
            case .bursts: "in_burst = 1"
            case .panoramas: subtype(.photoPanorama)
            case .timelapses: subtype(.videoTimelapse)
            case .slomoVideos: subtype(.videoHighFrameRate)
            case .screenRecordings: subtype(.videoScreenRecording)
            case .depthEffectPhotos: subtype(.photoDepthEffect)
            case .cinematicVideos: subtype(.videoCinematic)
            case .favorites: "is_favorite = 1"
            }
        add("(\(condition))")
    }

    private mutating func append(membership filter: AssetFilter) {
        let form = forms[filter] ?? standard
        switch form {
        case .asked: append("key IN", Self.members(of: filter, dialect))
        case .leader(let keys):
            // Listed in the text, each number of keys would be a different statement.
            add("key IN (\(dialect.integers(in: "?")))", "[\(keys.map(String.init).joined(separator: ","))]")
        case .collected: append("+key IN", Self.members(of: filter, dialect))
        case .probe: append("EXISTS", probe(filter))
        case .alone: appendAlone(filter)
        }
    }

    private mutating func appendAlone(_ filter: AssetFilter) {
        if case .text(let text) = filter {
            let words = SearchText.words(of: text)
            guard !words.isEmpty else { return add("FALSE") }
            let test = dialect.words.test(words)
            sql += test.sql
            arguments += test.arguments
        } else {
            let probe = probe(filter)
            // A query with an offset is never made into a join.
            append("EXISTS", ("\(probe.sql) LIMIT 1 OFFSET 0", probe.arguments))
        }
    }

    private mutating func append(_ test: String, _ members: (sql: String, arguments: SQLArguments)) {
        sql += "\(test) (\(members.sql))"
        arguments += members.arguments
    }

    /// The keys of a membership's assets; a text without words matches nothing.
    static func members(of filter: AssetFilter, _ dialect: any SQLDialect) -> (sql: String, arguments: SQLArguments) {
        switch filter {
        case .album(let id): ("SELECT asset FROM album_member WHERE album = ?", [id.blob])
        case .keyword(let keyword): ("SELECT asset FROM keyword WHERE text = \(dialect.keyword("?"))", [keyword.text])
        case .text(let text): WordTable.keys(matching: SearchText.words(of: text), dialect)
        default: nobody
        }
    }

    /// An empty set of keys.
    static let nobody: (sql: String, arguments: SQLArguments) = ("SELECT asset FROM keyword WHERE FALSE", [])

    /// Whether one asset is a member; for a search, whether each word is a prefix of one of the asset's words.
    private func probe(_ filter: AssetFilter) -> (sql: String, arguments: SQLArguments) {
        switch filter {
        case .album(let id): return ("SELECT 1 FROM album_member WHERE album = ? AND asset = key", [id.blob])
        case .keyword(let keyword):
            return ("SELECT 1 FROM keyword WHERE asset = key AND text = \(dialect.keyword("?"))", [keyword.text])
        case .text(let text):
            let words = SearchText.words(of: text)
            return words.isEmpty ? Self.nobody : dialect.words.probe(words)
        default: return Self.nobody
        }
    }

    private mutating func append(_ box: GeographicBox) {
        add("(latitude IS NOT NULL AND latitude BETWEEN ? AND ? AND ", box.south, box.north)
        add(
            box.crossesDateLine ? "(longitude >= ? OR longitude <= ?))" : "longitude BETWEEN ? AND ?)",
            box.west,
            box.east
        )
    }

    /// A band of latitudes lets the index exclude most assets; the rest is decided with the evaluator's own arithmetic.
    private mutating func append(_ circle: GeographicCircle) {
        // A degree of latitude is 111.19 km; a little more, so that rounding excludes nothing.
        let band = circle.radiusMeters / 111_000 + 0.001
        add(
            "(latitude IS NOT NULL AND latitude BETWEEN ? AND ? AND tintype_near(latitude, longitude, ?, ?, ?))",
            circle.center.latitude - band,
            circle.center.latitude + band,
            circle.center.latitude,
            circle.center.longitude,
            circle.radiusMeters
        )
    }
}
