import MediaFormats

/// WebP chunks and their metadata.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebP(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let file = try? WebPFile(bytes) else { return }
        _ = file.imageDataRanges
        _ = try? StillMetadata(bytes)
    }
}
