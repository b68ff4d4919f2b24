import CTurboJPEG
import PhotoModel

/// The chroma sampling of luma and chroma planes.
package enum ChromaSampling: Hashable, Sendable {
    /// Same as luma.
    case full
    /// Half horizontally (4:2:2).
    case half
    /// Half horizontally and vertically (4:2:0).
    case quarter
    /// No chroma.
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

/// Compresses full-range luma and chroma planes to JPEG, without a detour through RGB.
///
/// Use an encoder from one thread at a time.
@safe
package struct JPEGEncoder: ~Copyable {
    private let handle: tjhandle

    /// Creates an encoder.
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

    /// Compresses one picture to a JPEG file with Huffman tables, at a quality of 1 to 100.
    ///
    /// The corresponding C function is `tjCompressFromYUVPlanes`. The planes have as many rows as the size and sampling
    /// imply, and row strides in bytes.
    ///
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
        // The buffer has megabytes for the worst case; rings keep what is returned here.
        return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
