import CV4LConvert
import Capture
import PhotoModel
package import SystemPackage

/// The calls to libv4lconvert.
extension SystemVideoCalls {
    /// The corresponding C function is `v4lconvert_create`.
    package func openConversion(_ descriptor: VideoDescriptor) throws(Errno) -> FrameConversion {
        guard let handle = unsafe tt_conversion_create(descriptor.rawValue) else { throw .notSupported }
        return FrameConversion(rawValue: Int(bitPattern: handle))
    }

    /// The corresponding C function is `v4lconvert_convert`.
    package func convert(
        _ conversion: FrameConversion,
        _ frame: RawSpan,
        _ format: VideoFormat,
        to picture: inout [UInt8]
    ) -> Bool {
        let capacity = picture.count
        let count = unsafe frame.withUnsafeBytes { source in
            unsafe picture.withUnsafeMutableBufferPointer { target in
                unsafe tt_convert(
                    UnsafeMutableRawPointer(bitPattern: conversion.rawValue),
                    format.pixelFormat.rawValue,
                    UInt32(clamping: format.size.width),
                    UInt32(clamping: format.size.height),
                    UInt32(clamping: format.bytesPerLine.first ?? 0),
                    source.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    Int32(clamping: source.count),
                    target.baseAddress,
                    Int32(clamping: capacity)
                )
            }
        }
        return Int(count) == capacity
    }

    /// The corresponding C function is `v4lconvert_destroy`.
    package func close(_ conversion: FrameConversion) {
        unsafe tt_conversion_destroy(UnsafeMutableRawPointer(bitPattern: conversion.rawValue))
    }
}
