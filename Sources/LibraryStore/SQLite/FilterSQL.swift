import Authorization
import FoundationEssentials
import GRDB
import PhotoModel

/// The filter tree as a condition on the table `asset`, held against the evaluator in memory by a property test.
///
/// Every condition is true or false and never null, so that `NOT` means what it does in Swift.
struct FilterSQL {
    /// How it is asked whether an asset is a member of something: of a search's matches, a keyword's assets, an album.
    enum Membership {
        /// SQLite may begin with the members.
        case asked
        /// These are the members' keys, and SQLite begins with them.
        case leader([Int64])
        /// The members are collected first, and each asset is looked for among them.
        case collected
        /// Each asset is asked.
        case probe
    }

    private(set) var sql = ""
    private(set) var arguments = StatementArguments()
    private let forms: [AssetFilter: Membership]

    /// The function that decides `near`, made of the evaluator's own arithmetic.
    static let near = DatabaseFunction("tintype_near", argumentCount: 5, pure: true) { values in
        guard let latitude = Double.fromDatabaseValue(values[0]), let longitude = Double.fromDatabaseValue(values[1]),
            let place = Location(latitude: latitude, longitude: longitude),
            let centerLatitude = Double.fromDatabaseValue(values[2]),
            let centerLongitude = Double.fromDatabaseValue(values[3]),
            let center = Location(latitude: centerLatitude, longitude: centerLongitude),
            let radius = Double.fromDatabaseValue(values[4]),
            let circle = GeographicCircle(center: center, radiusMeters: radius)
        else { return false }
        return circle.contains(place)
    }

    /// The condition that a filter is.
    init(_ filter: AssetFilter, _ forms: [AssetFilter: Membership] = [:]) {
        self.forms = forms
        append(filter)
    }

    /// The condition that a list's options are, its order and limit left out.
    init(_ options: FetchOptions, _ forms: [AssetFilter: Membership] = [:]) {
        self.forms = forms
        add("is_trashed = ?", options.showsTrash)
        if !options.includesHidden { add(" AND is_hidden = 0") }
        if !options.includesAllBurstAssets { add(" AND stands_out = 1") }
        if let filter = options.filter {
            add(" AND ")
            append(filter)
        }
    }

    /// The condition that a view is.
    init(_ view: LibraryView, _ forms: [AssetFilter: Membership] = [:]) {
        self.forms = forms
        switch view {
        case .everything: add("1")
        case .own(let device): add("device IS ?", device.blob)
        case .selection(let selection, let device):
            add("(is_hidden = 0 AND is_trashed = 0 AND (device IS ?", device.blob)
            if !selection.assets.isEmpty {
                add(" OR id IN (SELECT unhex_blob(value) FROM json_each(?))", Self.list(selection.assets.map(\.blob)))
            }
            if !selection.grantedAlbums.isEmpty {
                add(
                    " OR key IN (SELECT asset FROM album_asset WHERE album IN "
                        + "(SELECT unhex_blob(value) FROM json_each(?)))",
                    Self.list(selection.grantedAlbums.map(\.blob))
                )
            }
            for rule in selection.rules {
                add(" OR ")
                append(rule)
            }
            add("))")
        }
    }

    static func list(_ blobs: [Data]) -> String {
        "["
            + blobs.map { "\"" + $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "\"" }
            .joined(separator: ",") + "]"
    }

    /// SQLite learnt `unhex` in version 3.41; Debian 12 has 3.40.
    static let unhex = DatabaseFunction("unhex_blob", argumentCount: 1, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]) else { return nil }
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private mutating func add(_ text: String, _ values: (any DatabaseValueConvertible)?...) {
        sql += text
        arguments += StatementArguments(values)
    }

    private mutating func append(_ filter: AssetFilter) {
        switch filter {
        case .kind(let kind): append(kind)
        case .playbackStyle(let style): add("playback_style = ?", style.rawValue)
        case .captured(let range):
            add("(1")
            if let from = range.from { append(from, ">=", marginSeconds: -LocalTime.offsets.upperBound) }
            if let until = range.until { append(until, "<", marginSeconds: LocalTime.offsets.upperBound) }
            add(")")
        case .device(let id): add("device IS ?", id.blob)
        case .album, .keyword, .text: append(membership: filter)
        case .rating(let least): add("rating >= ?", least.rawValue)
        case .near(let circle): append(circle)
        case .inside(let box): append(box)
        case .any(let filters): append(filters, joinedBy: " OR ", whenEmpty: "0")
        case .all(let filters): append(filters, joinedBy: " AND ", whenEmpty: "1")
        case .not(let filter):
            add("NOT (")
            append(filter)
            add(")")
        }
    }

    /// One end of a range; an instant is looked for by the local dates around it, too, since the timeline's index is theirs.
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
            case .bursts: "in_burst"
            case .panoramas: subtype(.photoPanorama)
            case .timelapses: subtype(.videoTimelapse)
            case .slomoVideos: subtype(.videoHighFrameRate)
            case .screenRecordings: subtype(.videoScreenRecording)
            case .depthEffectPhotos: subtype(.photoDepthEffect)
            case .cinematicVideos: subtype(.videoCinematic)
            case .favorites: "is_favorite"
            }
        add("(\(condition))")
    }

    private mutating func append(membership filter: AssetFilter) {
        let form = forms[filter] ?? .asked
        switch form {
        case .asked: append("key IN", Self.members(of: filter))
        case .leader(let keys):
            // Listed in the text, each number of keys would be another statement.
            add("key IN (SELECT value FROM json_each(?))", "[\(keys.map(String.init).joined(separator: ","))]")
        case .collected: append("+key IN", Self.members(of: filter))
        case .probe: append("EXISTS", Self.probe(filter))
        }
    }

    private mutating func append(_ test: String, _ members: (sql: String, arguments: StatementArguments)) {
        sql += "\(test) (\(members.sql))"
        arguments += members.arguments
    }

    /// The keys of a membership's assets; a text without a word matches nothing.
    static func members(of filter: AssetFilter) -> (sql: String, arguments: StatementArguments) {
        switch filter {
        case .album(let id): ("SELECT asset FROM album_asset WHERE album = ?", [id.blob])
        case .keyword(let keyword): ("SELECT asset FROM keyword WHERE text = ?", [keyword.text])
        case .text(let text) where !SearchText.words(of: text).isEmpty:
            ("SELECT \(WordTable.key) FROM asset_word WHERE asset_word MATCH ?", [match(text)])
        default: ("SELECT NULL WHERE 0", [])
        }
    }

    /// A search for assets of which each of the text's words begins a word; words hold letters and digits only, so they need
    /// no escaping.
    static func match(_ text: String) -> String {
        SearchText.words(of: text).map { "\"\($0)\"*" }.joined(separator: " AND ")
    }

    /// Whether one asset is a member; of a search, whether each word begins one of the asset's words, which lie in the
    /// search table's content with a space between them.
    private static func probe(_ filter: AssetFilter) -> (sql: String, arguments: StatementArguments) {
        switch filter {
        case .album(let id): return ("SELECT 1 FROM album_asset WHERE album = ? AND asset = key", [id.blob])
        case .keyword(let keyword): return ("SELECT 1 FROM keyword WHERE asset = key AND text = ?", [keyword.text])
        case .text(let text):
            let words = SearchText.words(of: text)
            guard !words.isEmpty else { return ("SELECT 1 WHERE 0", []) }
            let conditions = words.map { _ in " AND instr(' ' || c0, ' ' || ?) > 0" }.joined()
            return (
                "SELECT 1 FROM asset_word_content WHERE asset_word_content.id = \(WordTable.number)" + conditions,
                StatementArguments(words)
            )
        default: return ("SELECT 1 WHERE 0", [])
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

    /// The band of latitudes lets the index leave out most; what is left is decided as the evaluator decides it.
    private mutating func append(_ circle: GeographicCircle) {
        // A degree of latitude is 111.19 km; a little more, so that rounding leaves nothing out.
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

extension Keyword {
    /// Compares keywords in columns as the model does, so that canonically equivalent texts are one keyword.
    static let collation = DatabaseCollation("keyword") { left, right in
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
}
