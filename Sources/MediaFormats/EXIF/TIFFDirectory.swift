/// One directory (IFD) of a TIFF structure.
package struct TIFFDirectory: Hashable, Sendable {
    /// The subject of a directory.
    package enum Kind: Hashable, Sendable {
        /// An image, by its position in the chain: 0 is the main one, 1 the thumbnail.
        case image(Int)
        /// How and when the picture was taken.
        case exif
        /// Where the picture was taken.
        case gps
        /// The interoperability rules that apply.
        case interoperability
        /// An image referenced by another, such as the full-size one of a DNG.
        case subImage

        /// The kind of directory that an entry points to; nil for other entries.
        init?(pointer tag: UInt16, in parent: Kind) {
            switch (tag, parent) {
            case (0x8769, .image): self = .exif
            case (0x8825, .image): self = .gps
            case (0xA005, .exif): self = .interoperability
            case (0x014A, .image): self = .subImage
            default: return nil
            }
        }
    }

    /// What it is about.
    package let kind: Kind
    /// The count, the entries and the offset of the next directory, in the file.
    package let range: FileRange
    /// The readable entries, in file order.
    package let entries: [TIFFEntry]
    /// The offset of the next directory in the chain; 0 for the last.
    let next: UInt32

    /// The first entry with a tag.
    package func entry(_ tag: UInt16) -> TIFFEntry? {
        entries.first { $0.tag == tag }
    }
}

/// One entry of a directory: a tag and the range of its values.
package struct TIFFEntry: Hashable, Sendable {
    /// What it is.
    package let tag: UInt16
    /// The raw type; always one of ``TIFFType``.
    let rawType: UInt16
    /// The number of values.
    package let count: Int
    /// The range of the values: inside the entry if they fit four bytes.
    package let value: FileRange
    /// The entry's last four bytes, which hold the value or its offset.
    let field: FileRange
    /// The type of the values.
    package var type: TIFFType { TIFFType(rawValue: rawType) ?? .undefined }
    /// The twelve bytes of the entry itself.
    var range: FileRange { FileRange(field.offset - 8..<field.end) }
}

/// The types of values (TIFF 6.0, section 2; 13 from its supplement 1).
package enum TIFFType: UInt16, Hashable, Sendable {
    /// Unsigned, 8 bits.
    case byte = 1
    /// NUL-terminated text.
    case ascii = 2
    /// Unsigned, 16 bits.
    case short = 3
    /// Unsigned, 32 bits.
    case long = 4
    /// Two unsigned 32-bit numbers, to be divided.
    case rational = 5
    /// Signed, 8 bits.
    case signedByte = 6
    /// Bytes whose meaning depends on the tag.
    case undefined = 7
    /// Signed, 16 bits.
    case signedShort = 8
    /// Signed, 32 bits.
    case signedLong = 9
    /// Two signed 32-bit numbers, to be divided.
    case signedRational = 10
    /// IEEE 754, 32 bits.
    case float = 11
    /// IEEE 754, 64 bits.
    case double = 12
    /// The offset of a directory, 32 bits.
    case directory = 13
    /// Unsigned, 64 bits, as in Apple's maker note.
    case long8 = 16

    /// Bytes of one value.
    package var width: Int {
        switch self {
        case .byte, .ascii, .signedByte, .undefined: 1
        case .short, .signedShort: 2
        case .long, .signedLong, .float, .directory: 4
        case .rational, .signedRational, .double, .long8: 8
        }
    }
}
