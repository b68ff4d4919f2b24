import CTurboJPEG
import PhotoModel

/// How often chroma is sampled in planes of luma and chroma.
package enum ChromaSampling: Hashable, Sendable {
    /// As often as luma.
    case full
    /// Half as often across (4:2:2).
    case half
    /// Half as often across and down (4:2:0).
    case quarter
    /// Not at all.
    case none

    var turboCode: TJSAMP {
        switch self {
        case .full: TJSAMP_444
        case .half: TJSAMP_422
        case .quarter: TJSAMP_420
        case .none: TJSAMP_GRAY
        }
    }
}

/// Compresses planes of full-range luma and chroma to JPEG, without a detour over red, green and blue.
///
/// One thread at a time uses an encoder.
@safe
package struct JPEGEncoder: ~Copyable {
    private let handle: tjhandle

    /// Starts an encoder.
    ///
    /// The corresponding C function is `tjInitCompress`.
    package init() throws(MediaEncodingError) {
        guard let handle = unsafe tjInitCompress() else {
            throw MediaEncodingError(.codecFailed, "no memory for a JPEG encoder")
        }
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe tjDestroy(handle)
    }

    /// Compresses one picture.
    ///
    /// The corresponding C function is `tjCompressFromYUVPlanes`.
    ///
    /// - Parameters:
    ///   - planes: where the planes begin; they hold as many rows as the size and sampling say.
    ///   - strides: bytes from one row to the next of each plane.
    ///   - size: width and height.
    ///   - sampling: how often chroma is sampled.
    ///   - quality: 1 to 100.
    /// - Returns: a JPEG file with Huffman tables.
    /// - Throws: `codecFailed`.
    func encode(
        planes: [UnsafePointer<UInt8>?],
        strides: [Int32],
        size: PixelSize,
        sampling: ChromaSampling,
        quality: Int32
    ) throws(MediaEncodingError) -> [UInt8] {
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        let code = Int32(bitPattern: sampling.turboCode.rawValue)
        var byteCount: UInt = 0
        var status: Int32 = 0
        let capacity = Int(tjBufSize(width, height, code))
        guard capacity > 0, capacity < 1 << 30 else {
            throw MediaEncodingError(.unsupported, "a picture of this size cannot be compressed")
        }
        var planes = unsafe planes
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var target = buffer.baseAddress
            byteCount = UInt(capacity)
            status = unsafe tjCompressFromYUVPlanes(
                handle,
                &planes,
                width,
                strides,
                height,
                code,
                &target,
                &byteCount,
                quality,
                TJFLAG_NOREALLOC | TJFLAG_FASTDCT
            )
            count = status == 0 ? Int(byteCount) : 0
        }
        guard status == 0 else {
            throw MediaEncodingError(
                .codecFailed,
                "JPEG compression: \(unsafe String(cString: tjGetErrorStr2(handle)))"
            )
        }
        // The room was for the worst case, megabytes; rings keep what is returned here.
        return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
