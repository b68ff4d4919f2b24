import Capture
import PhotoModel

/// Joins picture planes from separate memory into one piece, as in the contiguous formats.
///
/// The corresponding kernel formats are those of "pixfmt-yuv-planar.rst" whose code has an `M`.
struct PlaneJoiner {
    /// One plane of a picture.
    private struct Plane {
        let sourceStride: Int
        let stride: Int
        let rows: Int
        let offset: Int
    }

    /// The format of the joined picture.
    let pixelFormat: PixelFormat
    private let planes: [Plane]
    private var picture: [UInt8]

    /// Prepares for a format; nil if its pictures are contiguous already.
    init?(_ format: VideoFormat) {
        let width = format.size.width
        let chromaRows = (format.size.height + 1) / 2
        let line = max(format.bytesPerLine.first ?? 0, width)
        let chroma: [(stride: Int, packed: Int)]
        switch format.pixelFormat {
        case .nv12Planes: (pixelFormat, chroma) = (.nv12, [(line, width)])
        case .nv21Planes: (pixelFormat, chroma) = (.nv21, [(line, width)])
        case .i420Planes: (pixelFormat, chroma) = (.i420, Array(repeating: ((line + 1) / 2, (width + 1) / 2), count: 2))
        case .yv12Planes: (pixelFormat, chroma) = (.yv12, Array(repeating: ((line + 1) / 2, (width + 1) / 2), count: 2))
        default: return nil
        }
        var planes = [Plane(sourceStride: line, stride: line, rows: format.size.height, offset: 0)]
        var size = line * format.size.height
        for (index, plane) in chroma.enumerated() {
            let told = format.bytesPerLine.dropFirst(index + 1).first ?? 0
            planes.append(
                Plane(sourceStride: max(told, plane.packed), stride: plane.stride, rows: chromaRows, offset: size)
            )
            size += plane.stride * chromaRows
        }
        self.planes = planes
        picture = [UInt8](repeating: 0, count: size)
    }

    /// Joins the samples of each plane and passes the picture on, unless a plane is missing or too short.
    mutating func join(_ sources: [UnsafeRawBufferPointer], _ body: (RawSpan) -> Void) {
        let isWhole =
            unsafe sources.count == planes.count
            && planes.indices.allSatisfy { index in
                unsafe planes[index].sourceStride * (planes[index].rows - 1) < sources[index].count
            }
        guard isWhole else { return unsafe body([UInt8]().span.bytes) }
        unsafe picture.withUnsafeMutableBytes { target in
            for (index, plane) in planes.enumerated() {
                let source = unsafe sources[index]
                let count = min(plane.sourceStride, plane.stride)
                for row in 0..<plane.rows {
                    let begin = row * plane.sourceStride
                    let line = unsafe source[begin..<min(begin + count, source.count)]
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[(plane.offset + row * plane.stride)...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: line))
                }
            }
        }
        unsafe body(picture.span.bytes)
    }
}
