import MediaFormats

/// Segments of a file, of a camera's frame, and edits of either.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJPEG(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        _ = (try? JPEGHeader(bytes))?.lumaMeanStep(in: bytes)
        _ = try? JPEGLayout(bytes)
        _ = try? MotionJPEGFrame(bytes).jpegFile(bytes).copyBytes(from: bytes)
        var stream = MotionJPEGStream(longestFrame: 4096)
        for offset in 0..<bytes.byteCount {
            if let byte = try? bytes.byte(at: offset) { stream.append(CollectionOfOne(byte)) }
            while stream.next() != nil {}
        }
        _ = try? JPEGMetadataEdit(exif: .replace([0]), xmp: .remove).applied(to: bytes).copyBytes(from: bytes)
    }
}
