package import PhotoModel

/// Apple's maker note, in which one entry makes a photo the still of a Live Photo.
///
///      0  "Apple iOS" 00            10 bytes
///     10  0001                      version
///     12  "MM"                      big-endian, whatever the EXIF block around it is
///     14  count16                   entries, as in a TIFF directory: tag16 type16 count32 value-or-offset32
///     ..  next32                    0
///     ..  values                    offsets count from byte 0 of the note
///
/// It is entry 0x927C of the Exif directory and must have the type UNDEFINED: ImageIO ignores other types.
package struct AppleMakerNote: Hashable, Sendable {
    private static let signature: StaticString = "Apple iOS\0"

    /// The identifier that joins the still with its movie (tag 0x0011).
    package var contentIdentifier: ContentIdentifier?
    /// The identifier that joins the shots of a burst (tag 0x000B).
    package var burstIdentifier: BurstID?

    /// Reads a maker note; nil if it is broken or not Apple's.
    package init?(_ bytes: RawSpan, note: FileRange) {
        guard note.length >= 16, bytes.hasPrefix(Self.signature, at: note.offset),
            bytes.hasPrefix("MM", at: note.offset + 12)
        else { return nil }
        var reader = ByteReader(note)
        guard (try? reader.skip(14)) != nil, let count = try? reader.read(UInt16.self, from: bytes) else { return nil }
        for _ in 0..<count {
            guard let tag = try? reader.read(UInt16.self, from: bytes),
                let type = try? reader.read(UInt16.self, from: bytes),
                let valueCount = try? reader.read(UInt32.self, from: bytes),
                let field = try? reader.take(4)
            else { return }
            read(Entry(tag: tag, type: type, count: valueCount, field: field), of: note, in: bytes)
        }
    }

    /// The smallest note, the value of the entry 0x927C: only the content identifier that joins the still with its
    /// movie, 70 bytes as ImageIO writes them.
    package static func bytes(contentIdentifier: ContentIdentifier) -> [UInt8] {
        var writer = ByteWriter(capacity: 70)
        writer.append(signature.description)
        writer.append(UInt16(1))
        writer.append("MM")
        writer.append(UInt16(1))
        writer.append(UInt16(0x0011))
        writer.append(TIFFType.ascii.rawValue)
        writer.append(UInt32(37))
        writer.append(UInt32(32))
        writer.append(UInt32(0))
        writer.append(contentIdentifier.fileText)
        writer.append(repeating: 0, count: 2)
        return writer.bytes
    }

    private struct Entry {
        let tag: UInt16
        let type: UInt16
        let count: UInt32
        let field: FileRange
    }

    private mutating func read(_ entry: Entry, of note: FileRange, in bytes: RawSpan) {
        switch entry.tag {
        case 0x000B: burstIdentifier = Self.text(entry, of: note, in: bytes).flatMap { BurstID($0) }
        case 0x0011: contentIdentifier = Self.text(entry, of: note, in: bytes).flatMap { ContentIdentifier($0) }
        default: break
        }
    }

    private static func text(_ entry: Entry, of note: FileRange, in bytes: RawSpan) -> String? {
        guard entry.type == TIFFType.ascii.rawValue, entry.count > 4, entry.count <= 256,
            let offset = try? bytes.integer(at: entry.field.offset, as: UInt32.self),
            let range = note.part(at: offset, length: entry.count), let text = try? bytes.copyBytes(in: range)
        else { return nil }
        return ExifText.decoded(text.prefix { $0 != 0 })
    }
}
