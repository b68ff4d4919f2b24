import MediaFormats

// Where the pictures themselves lie, for comparisons that ignore metadata.

extension PNGFile {
    /// The critical chunks, transparency, and the frames of an animation.
    var imageDataRanges: [FileRange] {
        let types: Set = ["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT"]
        return chunks.filter { types.contains($0.type) }.map(\.range)
    }
}

extension GIFLayout {
    /// The header, the frames, and how they are played.
    var imageDataRanges: [FileRange] {
        [header] + blocks.filter { [.frame, .control, .repetition, .end].contains($0.kind) }.map(\.range)
    }
}

extension HEIFImage {
    /// Everything but EXIF and XMP, by item number.
    var imageDataRanges: [FileRange] {
        items.filter { !$0.isExif && !$0.isXMP }.sorted { $0.id < $1.id }.flatMap(\.extents)
    }
}
