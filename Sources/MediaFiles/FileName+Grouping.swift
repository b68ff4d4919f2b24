package import PhotoModel

extension FileName {
    /// The ending in lower case, without its dot.
    var ending: String {
        String(decoding: bytes[stem.count...].dropFirst(), as: UTF8.self).lowercased()
    }

    /// Whether another program wrote the file beside a photo or movie: XMP, or Apple's adjustments.
    package var isSidecar: Bool { ["xmp", "aae"].contains(ending) }

    /// What files that belong together share: the name up to its last dot, and of a sidecar named after the whole file
    /// (`IMG_1.JPG.xmp`) that file's.
    ///
    /// By bytes: two names that only look the same, as NFC and NFD twins do, are two names.
    ///
    /// - Parameter stems: of the files beside it that are no sidecars.
    /// - Returns: the shared bytes.
    package func groupKey(among stems: Set<[UInt8]>) -> [UInt8] {
        let stem = Array(stem)
        guard isSidecar, !stems.contains(stem), let inner = FileName(bytes: stem) else { return stem }
        return Array(inner.stem)
    }
}
