import FoundationEssentials
import PhotoModel
import Yams

/// A YAML document of PhotoPrism: what it knows about a photo, or which photos an album has.
///
/// A photo's lies in `storage/sidecar` under the photo's path and the name without its ending, or beside the photo; an album's
/// in `storage/albums`. A field whose source (`TitleSrc`) is missing was made up by PhotoPrism itself.
struct PhotoPrismDocument {
    /// Longer documents are not read; in bytes.
    static let maximumByteCount = 8 << 20

    /// How PhotoPrism calls the photo or album.
    let identifier: String
    /// The title of an album made by a person; nil for anything else.
    let album: String?
    /// How PhotoPrism calls the photos of an album.
    let photos: [String]
    /// Its description of the photo.
    let content: SidecarContent

    /// Reads what is there of a PhotoPrism document; a field that is not as expected counts as missing.
    init?(yaml bytes: [UInt8]) {
        // Without rules for the types of texts: Yams tries seven regular expressions on each of them.
        guard bytes.count <= Self.maximumByteCount, !Self.hasAliases(bytes),
            let root = try? Parser(yaml: Data(bytes), resolver: .basic).singleRoot(),
            let fields = YAMLFields(root), let identifier = fields.text("UID")
        else { return nil }
        self.identifier = identifier
        let title = fields.text("Title")
        album = fields.text("Type") == "album" ? title : nil
        photos = fields.list("Photos").compactMap { $0.text("UID") }
        var content = SidecarContent()
        if fields.text("TitleSrc") != nil { content.title = title }
        content.caption = fields.text("Caption") ?? fields.text("Description")
        content.isFavorite = fields.isTrue("Favorite") || fields.isTrue("Favourite")
        if fields.text("TakenSrc") != nil { content.captureDate = fields.text("TakenAt").flatMap { WallTime($0) } }
        if fields.text("PlaceSrc") != "estimate", let latitude = fields.number("Lat"),
            let longitude = fields.number("Lng"), latitude != 0 || longitude != 0
        {
            content.location = Location(latitude: latitude, longitude: longitude, altitude: fields.number("Altitude"))
        }
        let details = fields.fields("Details")
        content.keywords = (details?.text("Keywords") ?? "").split(separator: ",").map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
        if fields.text("DeletedAt") != nil { content.exclusion = "it lies in the archive of PhotoPrism" }
        if fields.isTrue("Private") { content.unsupported.append("it was private in PhotoPrism, and is shown here") }
        if details?.text("NotesSrc") == "manual", details?.text("Notes") != nil {
            content.unsupported.append("its notes in PhotoPrism")
        }
        self.content = content
    }

    /// Whether parts of a document may stand for others (YAML 1.2.2, 7.1), which PhotoPrism never writes.
    ///
    /// A few nested ones stand for more nodes than can ever be visited, and Yams visits every node of a mapping's key.
    private static func hasAliases(_ bytes: [UInt8]) -> Bool {
        var (hasAnchor, hasAlias) = (false, false)
        // After a line's beginning or an indicator, with spaces between; other scripts have line breaks, too.
        var canBegin = true
        for (byte, next) in zip(bytes, bytes.dropFirst()) {
            let isMark = UInt8(ascii: "a")...UInt8(ascii: "z") ~= next | 0x20 || "-_0123456789".utf8.contains(next)
            hasAnchor = hasAnchor || isMark && byte == UInt8(ascii: "&")
            hasAlias = hasAlias || isMark && canBegin && byte == UInt8(ascii: "*")
            if byte != 0x20, byte != 0x09 { canBegin = byte < 0x20 || byte >= 0x80 || "-?:,[{".utf8.contains(byte) }
        }
        return hasAnchor && hasAlias
    }
}

/// The fields of a YAML mapping whose scalars are all strings.
private struct YAMLFields {
    private let nodes: [String: Node]

    init?(_ node: Node) {
        guard let mapping = node.mapping else { return nil }
        let named = mapping.compactMap { key, value in key.scalar.map { ($0.string, value) } }
        nodes = Dictionary(named) { first, _ in first }
    }

    /// A text that is there; nil for an empty one, and for null.
    func text(_ name: String) -> String? {
        guard let scalar = nodes[name]?.scalar, !scalar.string.isEmpty else { return nil }
        let isNull = scalar.style == .plain && ["~", "null", "Null", "NULL"].contains(scalar.string)
        return isNull ? nil : scalar.string
    }

    func isTrue(_ name: String) -> Bool { ["true", "True", "TRUE"].contains(text(name)) }

    func number(_ name: String) -> Double? {
        text(name).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    func fields(_ name: String) -> Self? { nodes[name].flatMap { Self($0) } }

    func list(_ name: String) -> [Self] { (nodes[name]?.sequence ?? []).compactMap { Self($0) } }
}
