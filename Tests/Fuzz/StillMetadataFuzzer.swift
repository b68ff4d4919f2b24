import MediaFormats

/// Whole files of any container, as an upload brings them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStillMetadata(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let still = try? StillMetadata(bytes) else { return }
        _ = still.pixelSize
        _ = still.metadata.captureTime
        _ = still.metadata.words
        _ = still.metadata.subtypes(size: still.pixelSize)
        _ = still.contentIdentifier
    }
}
