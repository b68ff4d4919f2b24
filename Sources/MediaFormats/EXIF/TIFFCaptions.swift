/// Removes people's texts from a TIFF structure in place: the values become zeros, so that every text is empty and
/// every offset stays valid.
enum TIFFCaptions {
    /// Document name, image description, artist, XMP (ratings), IPTC, Photoshop, user comment, and Windows' title,
    /// comment, author, keywords and subject.
    private static let tags: Set<UInt16> = [
        0x010D, 0x010E, 0x013B, 0x02BC, 0x83BB, 0x8649, 0x9286, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F,
    ]
    private static let makerNote: UInt16 = 0x927C

    /// Zeros for every text of a structure.
    static func patches(_ structure: TIFFStructure, in bytes: RawSpan) -> TIFFPatches {
        var patches = TIFFPatches(of: structure)
        for directory in structure.directories {
            for entry in directory.entries where isText(entry, in: bytes, &patches) { patches.zero(entry.value) }
        }
        return patches
    }

    /// Other makers' maker notes may hold texts in unknown places.
    private static func isText(_ entry: TIFFEntry, in bytes: RawSpan, _ patches: inout TIFFPatches) -> Bool {
        guard entry.tag == makerNote else { return tags.contains(entry.tag) }
        return !patches.take(entry.value) || AppleMakerNote(bytes, note: entry.value) == nil
    }
}
