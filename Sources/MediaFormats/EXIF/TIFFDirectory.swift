/// One directory (IFD) of a TIFF structure.
package struct TIFFDirectory: Hashable, Sendable {
    /// What a directory is about.
    package enum Kind: Hashable, Sendable {
        /// An image of the file by its place in the chain: 0 is the main one, 1 the thumbnail.
        case image(Int)
        /// How and when the picture was taken.
        case exif
        /// Where.
        case gps
        /// Which rules of interoperability hold.
        case interoperability
        /// An image that hangs off another, as the full-size one of a DNG.
        case subImage

        /// The kind that an entry of a directory points to; nil for other entries.
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
    /// The entries that could be read, in the order of the file.
    package let entries: [TIFFEntry]
    /// The offset of the next directory in the chain; 0 for the last.
    let next: UInt32

    /// The first entry with a tag.
    package func entry(_ tag: UInt16) -> TIFFEntry? {
        entries.first { $0.tag == tag }
    }
}

/// One entry of a directory: a tag and where its values are.
package struct TIFFEntry: Hashable, Sendable {
    /// What it is.
    package let tag: UInt16
    /// The type as the file has it; always one of ``TIFFType``.
    let rawType: UInt16
    /// How many values there are.
    package let count: Int
    /// Where they are: inside the entry when they fit four bytes.
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
    /// Text that ends in a NUL.
    case ascii = 2
    /// Unsigned, 16 bits.
    case short = 3
    /// Unsigned, 32 bits.
    case long = 4
    /// Two unsigned numbers of 32 bits, to be divided.
    case rational = 5
    /// Signed, 8 bits.
    case signedByte = 6
    /// Bytes that the tag explains.
    case undefined = 7
    /// Signed, 16 bits.
    case signedShort = 8
    /// Signed, 32 bits.
    case signedLong = 9
    /// Two signed numbers of 32 bits, to be divided.
    case signedRational = 10
    /// IEEE 754, 32 bits.
    case float = 11
    /// IEEE 754, 64 bits.
    case double = 12
    /// The offset of a directory, 32 bits.
    case directory = 13
    /// Unsigned, 64 bits, as Apple's maker note has it.
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
