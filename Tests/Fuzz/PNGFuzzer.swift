import MediaFormats

/// PNG chunks, their texts and metadata.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPNG(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let file = try? PNGFile(bytes) else { return }
        _ = file.imageDataRanges
        _ = try? StillMetadata(bytes)
    }
}
