import MediaFormats

/// Whole files of any container, as an upload brings them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStillMetadata(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let still = try? StillMetadata(bytes) else { return }
        _ = still.pixelSize
        _ = still.captureTime
        _ = still.location
        _ = still.contentIdentifier
    }
}
