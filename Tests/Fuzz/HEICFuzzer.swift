import MediaFormats

/// Pictures: reading, a new XMP packet, and stripping, after which our own readers find no place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHEIC(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let file = try? bytes.copyBytes(in: bytes.fullRange), let image = try? HEIFImage(file) else { return }
        _ = (image.auxiliaryTypes, image.primaryProperties.displaySize)
        _ = try? image.withXMP(XMPProperties().packet(), file).copyBytes(from: bytes)
        guard let stripped = try? image.stripped(file, of: .location).copyBytes(from: bytes) else { return }
        precondition(stripped.count == file.count, "stripping changed the length")
        guard let again = try? HEIFImage(stripped) else { return }
        precondition((try? again.xmp(stripped))??.location == nil, "XMP still tells a place")
    }
}
