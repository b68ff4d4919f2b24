import MediaFormats

/// Stripping of places: no place may be left that our own reader finds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLocationStripping(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let file = try? MetadataRemoval.location.stripped(bytes),
            let stripped = try? file.copyBytes(from: bytes)
        else { return }
        if let file = try? JPEGXLFile(stripped) {
            precondition(PictureMetadata(exif: file.exif, xmp: file.xmp).location == nil, "a place is left")
            precondition(file.xmp?.place.city == nil, "a city is left")
        }
        stripped.withBytes { bytes in
            if let gif = try? GIFLayout(bytes) { checkGIF(gif, bytes) }
            guard let still = try? StillMetadata(bytes) else { return }
            precondition(still.metadata.location == nil, "a place is left")
            precondition(still.xmp?.place.city == nil, "a city is left")
        }
    }
}

private func checkGIF(_ gif: GIFLayout, _ bytes: RawSpan) {
    for packet in gif.xmpPackets(in: bytes) {
        guard let xmp = try? XMPProperties(bytes, packet: packet) else { continue }
        precondition(xmp.location == nil, "a place is left")
        precondition(xmp.place.city == nil, "a city is left")
    }
}
