import MediaFormats

/// Cameras' raw photos of every maker; a preview lies inside the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRawFile(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let copy = try? bytes.copyBytes(in: bytes.fullRange, limit: .max), let raw = try? RawFile(copy) else {
            return
        }
        precondition((raw.preview?.end ?? 0) <= count, "a preview beyond the file")
        _ = raw.pixelSize
        _ = raw.metadata.captureTime
    }
}
