/// An XML name with its namespace resolved.
struct XMLName: Hashable, Sendable {
    /// The namespace; nil if there is none, or none whose properties are used here.
    let namespace: XMPNamespace?
    /// The name without prefix.
    let local: String

    init(_ namespace: XMPNamespace?, _ local: String) {
        self.namespace = namespace
        self.local = local
    }

    /// Hashes the local part alone: few names in a packet share it, and namespace identifiers are long.
    func hash(into hasher: inout Hasher) {
        hasher.combine(local)
    }
}

/// The namespaces whose properties are read or written.
enum XMPNamespace: String, Hashable, Sendable, CaseIterable {
    case rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    case xml = "http://www.w3.org/XML/1998/namespace"
    case dc = "http://purl.org/dc/elements/1.1/"
    case digiKam = "http://www.digikam.org/ns/1.0/"
    case exif = "http://ns.adobe.com/exif/1.0/"
    case iptcCore = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
    case iptcExtension = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
    case lightroom = "http://ns.adobe.com/lightroom/1.0/"
    case photoshop = "http://ns.adobe.com/photoshop/1.0/"
    case tiff = "http://ns.adobe.com/tiff/1.0/"
    case xmp = "http://ns.adobe.com/xap/1.0/"
    case xmpMM = "http://ns.adobe.com/xap/1.0/mm/"
    case xmpNote = "http://ns.adobe.com/xmp/note/"
    case googleCamera = "http://ns.google.com/photos/1.0/camera/"
    case googleContainer = "http://ns.google.com/photos/1.0/container/"
    case googleContainerItem = "http://ns.google.com/photos/1.0/container/item/"
    case googleDepth = "http://ns.google.com/photos/1.0/depthmap/"
    case googlePanorama = "http://ns.google.com/photos/1.0/panorama/"

    /// Namespaces by identifier, which is their raw value.
    static let byIdentifier = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The customary prefix.
    var prefix: String {
        switch self {
        case .rdf: "rdf"
        case .xml: "xml"
        case .dc: "dc"
        case .digiKam: "digiKam"
        case .exif: "exif"
        case .iptcCore: "Iptc4xmpCore"
        case .iptcExtension: "Iptc4xmpExt"
        case .lightroom: "lr"
        case .photoshop: "photoshop"
        case .tiff: "tiff"
        case .xmp: "xmp"
        case .xmpMM: "xmpMM"
        case .xmpNote: "xmpNote"
        case .googleCamera: "GCamera"
        case .googleContainer: "Container"
        case .googleContainerItem: "Item"
        case .googleDepth: "GDepth"
        case .googlePanorama: "GPano"
        }
    }
}
