/// A typed 128-bit identifier, written like a UUID (RFC 9562): 32 lower-case hexadecimal digits in five groups.
///
/// Each kind of thing has its own type, so that an album's identifier cannot be passed for an asset's.
public protocol UniqueIdentifier: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible,
    LosslessStringConvertible
where RawValue == UInt128 {
    /// Wraps the bits.
    init(rawValue: UInt128)
}

extension UniqueIdentifier {
    /// Parses the UUID form, in either case; nil for anything else.
    public init?(_ description: String) {
        guard let bits = UUIDText.bits(description.utf8) else { return nil }
        self.init(rawValue: bits)
    }

    /// The identifier from 16 bytes in network order; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(rawValue: UInt128(bigEndianBytes: bytes))
    }

    /// The 16 bytes in network order.
    public var bytes: [UInt8] { rawValue.bigEndianBytes }

    /// The UUID form, in lower case.
    public var description: String { UUIDText.text(rawValue) }

    /// Orders by the bits, which for version 7 is the order of creation.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Decodes the UUID form from a single string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(fromText: "a UUID") { Self($0) }
    }

    /// Encodes the UUID form as a single string.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}

extension UniqueIdentifier {
    /// A version 7 UUID (RFC 9562, section 5.7): time-ordered, the rest random.
    ///
    /// - Parameters:
    ///   - unixMilliseconds: the wall clock, truncated to 48 bits; only an ordering hint, never trusted as a date.
    ///   - generator: the source of the 74 random bits.
    /// - Returns: an identifier that sorts by its time.
    public static func version7(unixMilliseconds: Int64, using generator: inout some RandomNumberGenerator) -> Self {
        let time = UInt128(UInt64(bitPattern: unixMilliseconds) & 0xFFFF_FFFF_FFFF) << 80
        let random = UInt128(generator.next()) << 64 | UInt128(generator.next())
        return Self(rawValue: time | random & ~(UInt128(0xFFFF_FFFF_FFFF) << 80)).stamped(version: 7)
    }

    /// A version 8 UUID (RFC 9562, section 5.8) from the first bits of a digest: the same content gives the same
    /// identifier on every machine.
    public static func derived(from digest: ContentDigest) -> Self {
        Self(rawValue: UInt128(bigEndianBytes: digest.bytes.prefix(16))).stamped(version: 8)
    }

    /// Whether it has the form of a digest-derived identifier (RFC 9562, version 8).
    public var isDerived: Bool { self == stamped(version: 8) }

    private func stamped(version: UInt128) -> Self {
        let cleared = rawValue & ~(UInt128(0xF) << 76) & ~(UInt128(0b11) << 62)
        return Self(rawValue: cleared | version << 76 | UInt128(0b10) << 62)
    }
}

/// Identifies an asset: made on the box at capture (version 7), derived from the primary resource's digest at import.
public struct AssetID: UniqueIdentifier {
    /// The 128 bits.
    public let rawValue: UInt128
    /// Wraps the bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies a resource of an asset.
public struct ResourceID: UniqueIdentifier {
    /// The 128 bits.
    public let rawValue: UInt128
    /// Wraps the bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies an album.
public struct AlbumID: UniqueIdentifier {
    /// The 128 bits.
    public let rawValue: UInt128
    /// Wraps the bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies one boot of a machine, from `/proc/sys/kernel/random/boot_id`.
public struct BootID: UniqueIdentifier {
    /// The 128 bits.
    public let rawValue: UInt128
    /// Wraps the bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies shots that belong together: one capture request, one burst.
public struct BurstID: UniqueIdentifier {
    /// The 128 bits.
    public let rawValue: UInt128
    /// Wraps the bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The identifier that joins the still and the movie of a Live Photo; Apple's formats write it as an upper-case UUID.
public struct ContentIdentifier: UniqueIdentifier {
    /// The 128 bits.
    public let rawValue: UInt128
    /// Wraps the bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// The 36 characters as stored in the still's maker note and the movie's metadata.
    public var fileText: String { description.uppercased() }
}
