import PhotoModel

/// The older locations of a movie's metadata, in `moov/udta`.
enum UserDataText {
    /// The text of a QuickTime `©` box: length16, language16, bytes (QuickTime File Format, "User Data Text Strings").
    ///
    /// Text is read as UTF-8: Macintosh encodings went out of use before cameras wrote locations.
    static func international(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> String {
        var reader = ByteReader(box.payload)
        let length: UInt16 = try reader.read(from: bytes)
        try reader.skip(2)
        let held = min(Int(length), reader.remaining)
        return try bytes.text(in: try reader.take(held), limits: limits)
    }

    /// The location in a `loci` box: language16, name, role8, then longitude, latitude and altitude as 16.16 fixed
    /// point (3GPP TS 26.244, 8.10).
    static func location(_ box: Box, of bytes: RawSpan) throws(MediaFormatError) -> Location? {
        var reader = ByteReader(box.payload)
        _ = try FullBoxHeader(&reader, from: bytes)
        try reader.skip(2)
        guard let end = bytes.firstOffset(of: 0, in: reader.remainingRange) else { return nil }
        try reader.skip(end + 1 - reader.offset)
        try reader.skip(1)
        let longitude: Int32 = try reader.read(from: bytes)
        let latitude: Int32 = try reader.read(from: bytes)
        let altitude: Int32 = try reader.read(from: bytes)
        return Location(
            latitude: Double(latitude) / 65_536,
            longitude: Double(longitude) / 65_536,
            altitude: Double(altitude) / 65_536
        )
    }
}
