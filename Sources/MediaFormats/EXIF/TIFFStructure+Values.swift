/// Reading entries' values; nil if an entry has no such value.
extension TIFFStructure {
    /// An integer of any integer type.
    package func integer(_ entry: TIFFEntry, at index: Int = 0, in bytes: RawSpan) -> Int64? {
        guard index >= 0, index < entry.count else { return nil }
        let place = entry.value.offset + index * entry.type.width
        return switch entry.type {
        case .byte, .undefined: (try? bytes.byte(at: place)).map { Int64($0) }
        case .signedByte: (try? bytes.byte(at: place)).map { Int64(Int8(bitPattern: $0)) }
        case .short: (try? bytes.integer(at: place, order, as: UInt16.self)).map { Int64($0) }
        case .signedShort: (try? bytes.integer(at: place, order, as: Int16.self)).map { Int64($0) }
        case .long, .directory: (try? bytes.integer(at: place, order, as: UInt32.self)).map { Int64($0) }
        case .signedLong: (try? bytes.integer(at: place, order, as: Int32.self)).map { Int64($0) }
        case .long8: (try? bytes.integer(at: place, order, as: UInt64.self)).flatMap { Int64(exactly: $0) }
        case .ascii, .rational, .signedRational, .float, .double: nil
        }
    }

    /// A non-negative integer.
    package func unsigned(_ entry: TIFFEntry, at index: Int = 0, in bytes: RawSpan) -> Int? {
        integer(entry, at: index, in: bytes).flatMap { $0 >= 0 ? Int($0) : nil }
    }

    /// A raw fraction, or an integer over 1.
    package func rational(_ entry: TIFFEntry, at index: Int = 0, in bytes: RawSpan) -> ExifRational? {
        guard index >= 0, index < entry.count else { return nil }
        let place = entry.value.offset + index * 8
        switch entry.type {
        case .rational:
            guard let numerator = try? bytes.integer(at: place, order, as: UInt32.self),
                let denominator = try? bytes.integer(at: place + 4, order, as: UInt32.self)
            else { return nil }
            return ExifRational(Int64(numerator), Int64(denominator))
        case .signedRational:
            guard let numerator = try? bytes.integer(at: place, order, as: Int32.self),
                let denominator = try? bytes.integer(at: place + 4, order, as: Int32.self)
            else { return nil }
            return ExifRational(Int64(numerator), Int64(denominator))
        default:
            return integer(entry, at: index, in: bytes).map { ExifRational($0, 1) }
        }
    }

    /// Text up to its first NUL, without trailing white space; nil if nothing is left.
    ///
    /// UTF-8 if valid, else ISO 8859-1: EXIF says ASCII, but writers do as they like.
    package func text(_ entry: TIFFEntry, in bytes: RawSpan) -> String? {
        guard entry.type.width == 1, let all = try? bytes.copyBytes(in: entry.value) else { return nil }
        return ExifText.decoded(all.prefix { $0 != 0 })
    }
}

extension TIFFStructure {
    /// The range of the IPTC datasets: in their own entry (0x83BB), or among Photoshop's resources (0x8649).
    func iptcBlock(in bytes: RawSpan) -> FileRange? {
        guard let image = directory(.image(0)) else { return nil }
        if let entry = image.entry(0x83BB) { return entry.value }
        guard let resources = image.entry(0x8649) else { return nil }
        return PhotoshopResources.iptcBlock(in: resources.value, of: bytes)
    }
}

/// How EXIF stores text.
enum ExifText {
    /// Decodes UTF-8, else ISO 8859-1, and drops trailing white space; nil if nothing is left.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        let end = bytes.lastIndex { $0 > 0x20 }
        guard let end else { return nil }
        let kept = bytes[...end]
        return String(validating: kept, as: UTF8.self) ?? String(decoding: kept.map { UInt16($0) }, as: UTF16.self)
    }
}
