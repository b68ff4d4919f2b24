extension ExifMetadata {
    /// Encodes an EXIF block from its byte order mark; equal values give equal bytes.
    ///
    /// Fields that Exif 2.32 (table 17) also requires are added: 72 pixels per inch, centred chroma, component order,
    /// FlashPix and EXIF versions, colour space; with a position also the GPS version. A maker note is bytes,
    /// for example ``AppleMakerNote/bytes(contentIdentifier:)``, and a thumbnail a JPEG file of at most about 60
    /// kilobytes.
    ///
    /// - Throws: `unrepresentable` for a number out of its field's range or a text containing NUL.
    package func bytes(
        order: ByteOrder = .bigEndian,
        makerNote: [UInt8]? = nil,
        thumbnail: [UInt8]? = nil
    ) throws(MediaFormatError) -> [UInt8] {
        var directories = try directories(order: order)
        if let makerNote { directories.exif[0x927C] = .data(.undefined, count: makerNote.count, makerNote) }
        directories.image[0x8769] = .directory(directories.exif)
        if !directories.gps.isEmpty { directories.image[0x8825] = .directory(directories.gps) }
        guard let thumbnail else { return try TIFFBuilder.bytes(of: [directories.image], order: order) }
        let values = ExifValueWriter(order: order)
        let small: TIFFBuilder.Directory = [
            0x0103: try values.number(6, as: .short),
            0x011A: try values.fractions([ExifRational(72, 1)], as: .rational),
            0x011B: try values.fractions([ExifRational(72, 1)], as: .rational),
            0x0128: try values.number(2, as: .short),
            0x0201: .block(thumbnail),
            0x0202: try values.number(thumbnail.count, as: .long),
        ]
        return try TIFFBuilder.bytes(of: [directories.image, small], order: order)
    }

    /// The entries of the three directories, without the pointers between them.
    package func directories(order: ByteOrder) throws(MediaFormatError) -> (
        image: TIFFBuilder.Directory, exif: TIFFBuilder.Directory, gps: TIFFBuilder.Directory
    ) {
        let values = ExifValueWriter(order: order)
        var image: TIFFBuilder.Directory = [
            0x011A: try values.fractions([ExifRational(72, 1)], as: .rational),
            0x011B: try values.fractions([ExifRational(72, 1)], as: .rational),
            0x0128: try values.number(2, as: .short),
            0x0213: try values.number(1, as: .short),
        ]
        var exif: TIFFBuilder.Directory = [
            0x9000: .data(.undefined, count: 4, Array("0232".utf8)),
            0x9101: .data(.undefined, count: 4, [1, 2, 3, 0]),
            0xA000: .data(.undefined, count: 4, Array("0100".utf8)),
            0xA001: try values.number(1, as: .short),
        ]
        var gps: TIFFBuilder.Directory = [:]
        for field in ExifField.all {
            guard let value = try values.value(of: field.kind, in: self) else { continue }
            switch field.directory {
            case .image: image[field.tag] = value
            case .gps: gps[field.tag] = value
            default: exif[field.tag] = value
            }
        }
        if !gps.isEmpty { gps[0x0000] = .data(.byte, count: 4, [2, 3, 0, 0]) }
        return (image, exif, gps)
    }
}

/// Encodes fields as the values of entries.
struct ExifValueWriter {
    let order: ByteOrder

    /// The value of a field; nil if absent.
    func value(of kind: ExifField.Kind, in metadata: ExifMetadata) throws(MediaFormatError) -> TIFFBuilder.Value? {
        switch kind {
        case .text(let path):
            guard let text = metadata[keyPath: path] else { return nil }
            return try self.text(text)
        case .comment(let path):
            return metadata[keyPath: path].map(comment)
        case .number(let type, let path):
            guard let number = metadata[keyPath: path] else { return nil }
            return try self.number(number, as: type)
        case .fraction(let type, let path):
            guard let fraction = metadata[keyPath: path] else { return nil }
            return try fractions([fraction], as: type)
        case .fractions(let count, let path):
            let values = metadata[keyPath: path]
            guard !values.isEmpty else { return nil }
            guard values.count == count else {
                throw MediaFormatError(.unrepresentable, "a field has another number of fractions")
            }
            return try fractions(values, as: .rational)
        }
    }

    func text(_ text: String) throws(MediaFormatError) -> TIFFBuilder.Value {
        guard !text.utf8.contains(0) else {
            throw MediaFormatError(.unrepresentable, "a text has a NUL in it")
        }
        let bytes = Array(text.utf8) + [0]
        return .data(.ascii, count: bytes.count, bytes)
    }

    func comment(_ text: String) -> TIFFBuilder.Value {
        var writer = ByteWriter(order: order)
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            writer.append("ASCII\0\0\0")
            writer.append(text)
        } else {
            writer.append("UNICODE\0")
            for unit in text.utf16 { writer.append(unit) }
        }
        return .data(.undefined, count: writer.count, writer.bytes)
    }

    func number(_ number: Int, as type: TIFFType) throws(MediaFormatError) -> TIFFBuilder.Value {
        var writer = ByteWriter(order: order)
        if type.width == 1, let byte = UInt8(exactly: number) {
            writer.append(byte)
            return .data(type, count: 1, writer.bytes)
        }
        if type == .short, let short = UInt16(exactly: number) {
            writer.append(short)
            return .data(.short, count: 1, writer.bytes)
        }
        guard type.width > 1, let long = UInt32(exactly: number) else {
            throw MediaFormatError(.unrepresentable, "a number is out of its field's range")
        }
        writer.append(long)
        return .data(.long, count: 1, writer.bytes)
    }

    func fractions(_ fractions: [ExifRational], as type: TIFFType) throws(MediaFormatError) -> TIFFBuilder.Value {
        var writer = ByteWriter(order: order)
        for number in fractions.flatMap({ [$0.numerator, $0.denominator] }) {
            if type == .signedRational, let signed = Int32(exactly: number) {
                writer.append(signed)
            } else if type == .rational, let unsigned = UInt32(exactly: number) {
                writer.append(unsigned)
            } else {
                throw MediaFormatError(.unrepresentable, "a fraction is out of its field's range")
            }
        }
        return .data(type, count: fractions.count, writer.bytes)
    }
}
