import MediaFormats

/// PNG chunks, their texts and metadata.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPNG(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard (try? PNGFile(bytes)) != nil else { return }
        _ = try? StillMetadata(bytes)
    }
}
