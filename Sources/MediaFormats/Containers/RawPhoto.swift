/// Distinguishes a camera's raw photo, which holds sensor data, from a finished picture.
///
/// Several makers' formats have their own signature. The others look like TIFF files in their first bytes (TIFF/EP, ISO
/// 12234-2): what makes them raw is an image with sensor values.
package enum RawPhoto {
    /// The signatures of formats that are not TIFF, or have a signature after its header: Canon's CR2 and CRW,
    /// Fujifilm's RAF, Olympus' ORF, Panasonic's RW2, Sigma's X3F, Minolta's MRW.
    private static let marks: [(offset: Int, text: StaticString, mediaType: String)] = [
        (8, "CR\u{2}", "image/x-canon-cr2"), (6, "HEAPCCDR", "image/x-canon-crw"),
        (0, "FUJIFILMCCD-RAW", "image/x-fuji-raf"), (0, "IIRO", "image/x-olympus-orf"),
        (0, "IIRS", "image/x-olympus-orf"), (0, "MMOR", "image/x-olympus-orf"), (0, "IIU\0", "image/x-panasonic-rw2"),
        (0, "FOVb", "image/x-sigma-x3f"), (0, "\0MRM", "image/x-minolta-mrw"), (4, "ftypcrx ", "image/x-canon-cr3"),
    ]

    /// How many leading bytes suffice for every signature.
    package static let markedByteCount = 16

    private static let photometricInterpretation: UInt16 = 0x0106
    private static let make: UInt16 = 0x010F
    private static let versionOfDNG: UInt16 = 0xC612
    /// A colour filter array (TIFF/EP), and raw values of every colour (DNG 1.7, "LinearRaw").
    private static let sensorInterpretations: Set<Int> = [32_803, 34_892]

    /// The media type for a maker's signature; nil without one.
    ///
    /// IANA has registered none of these; they come from the shared MIME database of freedesktop.org.
    package static func markedMediaType(_ head: RawSpan) -> String? {
        marks.first { head.hasPrefix($0.text, at: $0.offset) }?.mediaType
    }

    /// The media type of a raw photo in TIFF format, by its beginning, including its directories if possible; nil for
    /// other TIFF files and everything else.
    ///
    /// It is `image/x-adobe-dng`, `image/x-sony-arw`, or `image/x-dcraw` for other makers' formats.
    package static func mediaType(ofTIFF head: RawSpan, limits: ParseLimits = .standard) -> String? {
        guard let structure = try? TIFFStructure(head, block: head.fullRange, limits: limits) else { return nil }
        let image = structure.directory(.image(0))
        if image?.entry(versionOfDNG) != nil { return ContentType.dng.mediaType }
        let holdsSensorData = structure.directories.contains { directory in
            guard let entry = directory.entry(photometricInterpretation) else { return false }
            return structure.unsigned(entry, in: head).map(sensorInterpretations.contains) == true
        }
        guard holdsSensorData else { return nil }
        let maker = image?.entry(make).flatMap { structure.text($0, in: head) }
        return maker == "SONY" ? "image/x-sony-arw" : "image/x-dcraw"
    }
}
