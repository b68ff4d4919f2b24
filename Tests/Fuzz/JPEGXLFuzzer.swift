import MediaFormats
import PhotoModel

/// JPEG XL: boxes, EXIF, XMP and the bits of the size.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJPEGXL(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let file = try? JPEGXLFile(bytes), let size = file.pixelSize else { return 0 }
    precondition(size.width > 0 && size.height > 0, "a picture without pixels")
    return 0
}
