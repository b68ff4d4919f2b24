extension ExifMetadata {
    /// Reads the fields of an EXIF block, by the range of its TIFF structure, or of a whole TIFF file or DNG.
    ///
    /// - Throws: `unrecognizedFormat` or `truncated` if there is no TIFF header; broken parts further in are skipped.
    package init(_ bytes: RawSpan, block: FileRange, limits: ParseLimits = .standard) throws(MediaFormatError) {
        self.init(try TIFFStructure(bytes, block: block, limits: limits), in: bytes)
    }

    /// Reads the fields of a parsed structure beside known ones from the file's other structures, if it has one per
    /// directory.
    package init(_ structure: TIFFStructure, in bytes: RawSpan, beside known: ExifMetadata = ExifMetadata()) {
        self = known
        var found: Set<Int> = []
        for directory in structure.directories {
            for entry in directory.entries {
                let key = ExifField.Key(directory: directory.kind, tag: entry.tag)
                // The first of two equal entries wins.
                guard let index = ExifField.indices[key], found.insert(index).inserted else { continue }
                read(ExifField.all[index].kind, from: entry, of: structure, in: bytes)
            }
        }
        readWindowsTexts(of: structure, in: bytes)
        if let note = structure.directory(.exif)?.entry(0x927C)?.value {
            makerNote = note
            appleMakerNote = AppleMakerNote(bytes, note: note)
        }
        if let image = structure.directory(.image(1)) {
            thumbnail = Self.thumbnail(image, of: structure, in: bytes)
        }
    }

    private mutating func readWindowsTexts(of structure: TIFFStructure, in bytes: RawSpan) {
        guard structure.directory(.image(0)) != nil else { return }
        windowsTitle = Self.windowsText(0x9C9B, of: structure, in: bytes)
        let keywords = Self.windowsText(0x9C9E, of: structure, in: bytes) ?? ""
        windowsKeywords = keywords.split(separator: ";").prefix(ParseLimits.standard.listItems).compactMap {
            ExifText.decoded(Array($0.utf8.drop { $0 == 0x20 })[...])
        }
    }

    private mutating func read(
        _ kind: ExifField.Kind,
        from entry: TIFFEntry,
        of structure: TIFFStructure,
        in bytes: RawSpan
    ) {
        switch kind {
        case .text(let path):
            self[keyPath: path] = structure.text(entry, in: bytes)
        case .comment(let path):
            self[keyPath: path] = Self.comment(entry, order: structure.order, in: bytes)
        case .number(_, let path):
            self[keyPath: path] = structure.unsigned(entry, in: bytes)
        case .fraction(_, let path):
            self[keyPath: path] = structure.rational(entry, in: bytes)
        case .fractions(let count, let path):
            guard entry.count == count else { return }
            self[keyPath: path] = (0..<count).compactMap { structure.rational(entry, at: $0, in: bytes) }
        }
    }

    /// Text that Windows writes as UTF-16, always little-endian whatever the structure's byte order.
    private static func windowsText(_ tag: UInt16, of structure: TIFFStructure, in bytes: RawSpan) -> String? {
        guard let entry = structure.directory(.image(0))?.entry(tag), entry.type.width == 1,
            let all = try? bytes.copyBytes(in: entry.value)
        else { return nil }
        let units = stride(from: 0, to: all.count - 1, by: 2).map { UInt16(all[$0 + 1]) << 8 | UInt16(all[$0]) }
        let text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
        return ExifText.decoded(Array(text.utf8)[...])
    }

    /// Eight bytes of character code, then the text; nil for JIS and unknown codes.
    private static func comment(_ entry: TIFFEntry, order: ByteOrder, in bytes: RawSpan) -> String? {
        guard let all = try? bytes.copyBytes(in: entry.value), all.count > 8 else { return nil }
        let text = all.dropFirst(8)
        switch Array(all.prefix(8)) {
        case Array("ASCII\0\0\0".utf8), Array(repeating: 0, count: 8):
            return ExifText.decoded(text.prefix { $0 != 0 })
        case Array("UNICODE\0".utf8):
            var units: [UInt16] = []
            for high in stride(from: text.startIndex, to: text.endIndex - 1, by: 2) {
                let (first, second) = (UInt16(text[high]), UInt16(text[high + 1]))
                units.append(order == .bigEndian ? first << 8 | second : second << 8 | first)
            }
            let decoded = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
            return ExifText.decoded(Array(decoded.utf8)[...])
        default:
            return nil
        }
    }

    static func thumbnail(_ directory: TIFFDirectory, of structure: TIFFStructure, in bytes: RawSpan) -> FileRange? {
        guard let offset = directory.entry(0x0201).flatMap({ structure.unsigned($0, in: bytes) }),
            let length = directory.entry(0x0202).flatMap({ structure.unsigned($0, in: bytes) }), length > 0
        else { return nil }
        return structure.block.part(at: offset, length: length)
    }
}
