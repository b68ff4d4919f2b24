/// The brands of an `ftyp` box (ISO/IEC 14496-12, 4.3).
struct FileTypeBrands {
    /// The specification the file was written for.
    let major: FourCharacterCode?
    /// Other specifications it conforms to.
    let compatible: [FourCharacterCode]

    /// All of them, the major one first.
    var all: [FourCharacterCode] { (major.map { [$0] } ?? []) + compatible }

    /// Reads as many as there are: major brand, minor version, compatible brands.
    init(_ bytes: RawSpan, payload: FileRange) {
        var reader = ByteReader(payload)
        major = (try? reader.read(UInt32.self, from: bytes)).map { FourCharacterCode(rawValue: $0) }
        _ = try? reader.skip(4)
        var brands: [FourCharacterCode] = []
        while let brand = try? reader.read(UInt32.self, from: bytes) {
            brands.append(FourCharacterCode(rawValue: brand))
        }
        compatible = brands
    }
}
