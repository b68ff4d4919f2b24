import Glibc
import LibraryAPI
import MediaFormats
import Persistence
import PhotoModel

/// What another program wrote beside a photo or movie: XMP, or Apple's adjustments (AAE).
struct Sidecar {
    /// The longest sidecar that is read; a longer one is none.
    private static let maximumByteCount = 4 << 20

    /// What it holds.
    enum Content {
        /// Descriptions (XMP specification, part 3, section 4).
        case properties(XMPProperties)
        /// How an edit was made; the bytes belong to the asset.
        case adjustment(NamedFile)
    }

    let content: Content

    /// Looks at a file by the ending of its name; nil for what is no sidecar.
    ///
    /// - Throws: what the file system says; a sidecar that cannot be understood says nothing.
    init?(_ file: NamedFile, in fileSystem: any FileSystem) throws {
        switch file.ending {
        case "aae":
            content = .adjustment(file)
        case "xmp":
            guard let bytes = try fileSystem.readAll(file.path, maximumByteCount: Self.maximumByteCount),
                let whole = FileRange(offset: 0, length: bytes.count),
                let properties = try? bytes.withBytes({ span throws(MediaFormatError) in
                    try XMPProperties(span, packet: whole)
                })
            else { return nil }
            content = .properties(properties)
        default:
            return nil
        }
    }
}

extension NamedFile {
    /// The ending of the name in lower case, without its dot.
    var ending: String {
        let rest = name.bytes[name.stem.count...].dropFirst()
        return String(decoding: rest, as: UTF8.self).lowercased()
    }

    /// What files that belong together share: the name up to its last dot, and of a sidecar named after the whole file
    /// (`IMG_1.JPG.xmp`) that file's.
    var groupKey: [UInt8] {
        guard ["xmp", "aae"].contains(ending), let inner = FileName(bytes: name.stem) else { return Array(name.stem) }
        let isWhole = inner.stem.count < inner.bytes.count && 3...4 ~= inner.bytes.count - inner.stem.count - 1
        return Array(isWhole ? inner.stem : name.stem)
    }
}

extension AssetManifest {
    /// Takes up what a sidecar says; it wins over the file, since a person made it later.
    mutating func take(_ properties: XMPProperties) {
        if let title = properties.title, !title.isEmpty { self.title = title }
        if let caption = properties.description, !caption.isEmpty { self.caption = caption }
        let words = properties.keywords.compactMap { Keyword($0) }
        if !words.isEmpty { keywords = Array(Set((keywords ?? []) + words)).sorted().prefixed(APILimits.keywordCount) }
        if let stars = properties.rating.flatMap({ Int(exactly: $0.rounded()) }), let rating = Rating(rawValue: stars) {
            self.rating = rating
        }
        if let location = properties.location { self.location = location }
        guard let time = properties.captureTime else { return }
        let offset = time.utcOffsetSeconds ?? Box.utcOffsetSeconds(at: time.instant(assumingUTCOffsetSeconds: 0))
        captureTime = CaptureTime(
            wall: time.instant(assumingUTCOffsetSeconds: offset),
            utcOffsetSeconds: time.utcOffsetSeconds,
            source: .fileMetadata,
            isSynchronized: true
        )
    }
}

extension Array {
    fileprivate func prefixed(_ count: Int) -> [Element] { Array(prefix(count)) }
}
