import Capture
import PhotoModel

/// How one plane of samples is blackened in cells of 16 pixels.
struct MaskedPlane {
    /// The plane's first byte.
    let offset: Int
    /// The row stride in bytes.
    let stride: Int
    /// The number of rows.
    let rowCount: Int
    /// The bytes of a cell's row.
    let cellBytes: Int
    /// The rows of a cell.
    let cellRows: Int
    /// The bytes of black, repeated.
    let black: [UInt8]

    /// Blackens the covered cells.
    func blacken(_ samples: inout [UInt8], _ raster: MaskRaster) {
        let line = (0..<stride).map { black[$0 % black.count] }
        unsafe samples.withUnsafeMutableBytes { samples in
            unsafe line.withUnsafeBytes { line in
                for row in 0..<rowCount {
                    let start = offset + row * stride
                    for columns in raster.rows[row / cellRows] {
                        let bytes = columns.lowerBound * cellBytes..<min(stride, columns.upperBound * cellBytes)
                        guard !bytes.isEmpty else { continue }
                        unsafe UnsafeMutableRawBufferPointer(
                            rebasing: samples[start + bytes.lowerBound..<start + bytes.upperBound]
                        ).copyMemory(from: UnsafeRawBufferPointer(rebasing: line[bytes]))
                    }
                }
            }
        }
    }
}

extension RawFrame {
    /// How to blacken each of its planes.
    func maskedPlanes(of info: FrameInfo) -> [MaskedPlane] {
        let luma: UInt8 = isFullRange ? 0 : 16
        let chroma: UInt8 = 128
        func plane(_ index: Int, _ cellBytes: Int, _ black: [UInt8], isHalved: Bool = false) -> MaskedPlane {
            MaskedPlane(
                offset: offsets[index],
                stride: Int(strides[index]),
                rowCount: isHalved ? (size.height + 1) / 2 : size.height,
                cellBytes: cellBytes,
                cellRows: isHalved ? 8 : 16,
                black: black
            )
        }
        switch info.pixelFormat {
        case .yuyv, .yvyu: return [plane(0, 32, [luma, chroma])]
        case .uyvy: return [plane(0, 32, [chroma, luma])]
        case .nv12, .nv21: return [plane(0, 16, [luma]), plane(1, 16, [chroma], isHalved: true)]
        case .i420, .yv12:
            return [plane(0, 16, [luma])] + [1, 2].map { plane($0, 8, [chroma], isHalved: true) }
        case .rgb24, .bgr24: return [plane(0, 48, [0])]
        case .bgrx32: return [plane(0, 64, [0])]
        case .grey: return [plane(0, 16, [0])]
        // 16 bits a pixel.
        default: return [plane(0, 32, [0])]
        }
    }
}

extension BayerLayout {
    /// How to blacken its one plane.
    ///
    /// - Throws: as ``line(_:_:)``.
    func maskedPlane(_ byteCount: Int, _ info: FrameInfo) throws(MediaEncodingError) -> MaskedPlane {
        MaskedPlane(
            offset: 0,
            stride: try line(byteCount, info),
            rowCount: info.size.height,
            cellBytes: self.byteCount(ofSamples: 16),
            cellRows: 16,
            black: [0]
        )
    }
}
