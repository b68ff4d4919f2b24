package import PhotoModel

/// Luma and chroma planes in one allocation, reused from one picture to the next.
package struct PlanarPicture: Sendable {
    /// Width and height.
    package let size: PixelSize
    /// How often chroma is sampled.
    package let sampling: ChromaSampling
    /// The planes, one after the other.
    package private(set) var samples: [UInt8]
    private let offsets: [Int]
    let strides: [Int32]

    /// Creates a picture of zeros, which looks black and green; its rows begin at multiples of `alignment` bytes.
    package init(size: PixelSize, sampling: ChromaSampling, alignment: Int = 1) {
        func aligned(_ width: Int) -> Int { (width + alignment - 1) / alignment * alignment }
        self.size = size
        self.sampling = sampling
        let width = aligned(size.width)
        let chromaWidth = aligned(sampling == .full ? size.width : (size.width + 1) / 2)
        let chromaHeight = sampling == .quarter ? (size.height + 1) / 2 : size.height
        let luma = width * size.height
        let chroma = chromaWidth * chromaHeight
        if sampling == .none {
            offsets = [0]
            strides = [Int32(clamping: width)]
            samples = [UInt8](repeating: 0, count: luma)
        } else {
            offsets = [0, luma, luma + chroma]
            strides = [width, chromaWidth, chromaWidth].map { Int32(clamping: $0) }
            samples = [UInt8](repeating: 0, count: luma + 2 * chroma)
        }
    }

    /// Takes the previous picture if it fits, else creates one.
    static func reusing(
        _ kept: inout PlanarPicture?,
        size: PixelSize,
        sampling: ChromaSampling,
        alignment: Int = 1
    ) -> PlanarPicture {
        if let picture = kept.take(), picture.size == size, picture.sampling == sampling { return picture }
        return PlanarPicture(size: size, sampling: sampling, alignment: alignment)
    }

    /// Calls the body with the planes for writing.
    mutating func withMutablePlanes<Value>(
        _ body: ([UnsafeMutablePointer<UInt8>?]) throws(MediaEncodingError) -> Value
    ) throws(MediaEncodingError) -> Value {
        let offsets = offsets
        var result: Result<Value, MediaEncodingError>?
        unsafe samples.withUnsafeMutableBufferPointer { buffer in
            let planes = unsafe offsets.map { unsafe buffer.baseAddress?.advanced(by: $0) }
            do throws(MediaEncodingError) {
                result = .success(try unsafe body(planes))
            } catch {
                result = .failure(error)
            }
        }
        guard let result else { throw MediaEncodingError(.codecFailed, "a picture without memory") }
        return try result.get()
    }

    /// Calls the body with the planes for reading.
    func withPlanes<Value>(
        _ body: ([UnsafePointer<UInt8>?]) throws(MediaEncodingError) -> Value
    ) throws(MediaEncodingError) -> Value {
        try unsafe samples.withUnsafeBufferPointer { buffer throws(MediaEncodingError) in
            try unsafe body(offsets.map { unsafe buffer.baseAddress?.advanced(by: $0) })
        }
    }

    /// The mean luma from 0 to 1.
    package var meanLuma: Double {
        let count = size.width * size.height
        guard count > 0 else { return 0 }
        let sum = samples.prefix(count).reduce(0) { $0 + Int($1) }
        return Double(sum) / Double(count * 255)
    }
}
