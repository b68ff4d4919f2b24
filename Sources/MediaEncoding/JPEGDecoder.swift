import CTurboJPEG
package import PhotoModel

/// Decodes JPEG to full-range luma and chroma planes, also at reduced size, which costs less.
///
/// Use a decoder from one thread at a time.
@safe
package struct JPEGDecoder: ~Copyable {
    /// A JPEG's header fields.
    package struct Header: Hashable, Sendable {
        /// Width and height.
        package let size: PixelSize
        /// The chroma sampling; nil for one that this module does not decode.
        package let sampling: ChromaSampling?
    }

    /// The largest width and height for which memory is allocated.
    static let largestSide: Int32 = 16_384

    private let handle: tjhandle

    /// Creates a decoder.
    ///
    /// The corresponding C function is `tjInitDecompress`.
    package init() throws(MediaEncodingError) {
        guard let handle = unsafe tjInitDecompress() else {
            throw MediaEncodingError(.codecFailed, "no memory for a JPEG decoder")
        }
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe tjDestroy(handle)
    }

    /// Reads the size and sampling from the header.
    ///
    /// - Throws: `damagedInput`.
    package func header(of bytes: RawSpan) throws(MediaEncodingError) -> Header {
        guard let header = unsafe TurboHeader(bytes, handle) else { throw failure() }
        guard 1...Self.largestSide ~= header.width, 1...Self.largestSide ~= header.height else {
            let size = "\(header.width)x\(header.height)"
            throw MediaEncodingError(.damagedInput, "a JPEG of \(size) pixels is no camera's")
        }
        let known: [ChromaSampling] = [.full, .half, .quarter, .none]
        return Header(
            size: PixelSize(width: Int(header.width), height: Int(header.height)),
            sampling: known.first { Int32(bitPattern: $0.turboCode.rawValue) == header.sampling }
        )
    }

    /// Decodes into planes, as many as the sampling has, with row strides in bytes.
    ///
    /// The corresponding C function is `tjDecompressToYUVPlanes`. The size is the file's, or that scaled by one of
    /// libjpeg's factors.
    ///
    /// - Throws: `damagedInput`, also for a file that could only be partly decoded.
    func decode(
        _ bytes: RawSpan,
        into planes: [UnsafeMutablePointer<UInt8>?],
        strides: [Int32],
        size: PixelSize
    ) throws(MediaEncodingError) {
        var planes = unsafe planes
        var strides = strides
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe tjDecompressToYUVPlanes(
                handle,
                buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
                UInt(buffer.count),
                &planes,
                Int32(clamping: size.width),
                &strides,
                Int32(clamping: size.height),
                TJFLAG_FASTDCT
            )
        }
        guard status == 0 else { throw failure() }
    }

    /// Decodes only luma, one byte per pixel without row padding, at a size from ``size(_:scaledDownTo:)``.
    ///
    /// The corresponding C function is `tjDecompress2`.
    ///
    /// - Throws: `damagedInput`, also for a file that could only be partly decoded.
    func grey(of bytes: RawSpan, size: PixelSize) throws(MediaEncodingError) -> [UInt8] {
        var status: Int32 = 0
        let samples = unsafe [UInt8](unsafeUninitializedCapacity: size.width * size.height) { target, count in
            status = unsafe bytes.withUnsafeBytes { buffer in
                unsafe tjDecompress2(
                    handle,
                    buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    UInt(buffer.count),
                    target.baseAddress,
                    Int32(clamping: size.width),
                    Int32(clamping: size.width),
                    Int32(clamping: size.height),
                    Int32(TJPF_GRAY.rawValue),
                    TJFLAG_FASTDCT
                )
            }
            count = status == 0 ? target.count : 0
        }
        guard status == 0 else { throw failure() }
        return samples
    }

    /// The largest size in whole eighths that is at most this wide, or the full size.
    package static func size(_ size: PixelSize, scaledDownTo width: Int) -> PixelSize {
        guard size.width > width else { return size }
        // libjpeg-turbo scales by whole eighths and rounds up (TJSCALED).
        let eighths = max(1, min(8, width * 8 / size.width))
        return PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
    }

    private func failure() -> MediaEncodingError {
        MediaEncodingError(.damagedInput, "JPEG: \(unsafe String(cString: tjGetErrorStr2(handle)))")
    }
}
