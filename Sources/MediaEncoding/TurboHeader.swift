import CTurboJPEG

/// A JPEG's header as libjpeg-turbo reads it.
struct TurboHeader {
    let width: Int32
    let height: Int32
    /// The chroma sampling, one of `TJSAMP`.
    let sampling: Int32
    /// The colours, one of `TJCS`.
    let colors: Int32

    /// Reads the header; nil if it cannot be read, with the reason in the handle.
    ///
    /// The corresponding C function is `tjDecompressHeader3`.
    init?(_ bytes: RawSpan, _ handle: tjhandle) {
        var (width, height, sampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe tjDecompressHeader3(
                handle,
                buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
                UInt(buffer.count),
                &width,
                &height,
                &sampling,
                &colors
            )
        }
        guard status == 0 else { return nil }
        (self.width, self.height, self.sampling, self.colors) = (width, height, sampling, colors)
    }
}
