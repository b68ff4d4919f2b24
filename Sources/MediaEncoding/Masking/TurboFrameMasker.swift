package import Capture
import PhotoModel
import Synchronization

/// Blackens the masked parts of one camera's frames: JPEGs among their coefficients, samples in place.
///
/// Whole JPEG blocks are blackened, even in raw samples, so that compression does not affect the pixels beside them.
package final class TurboFrameMasker: FrameMasker {
    private struct Tools: ~Copyable {
        let jpeg: JPEGMasker
        var raster: MaskRaster?
    }

    /// The cell size for raw frames, a multiple of every supported chroma block.
    private static let rawCell = PixelSize(width: 16, height: 16)

    private let mask: PrivacyMask
    private let tools: Mutex<Tools>

    /// Creates a masker that blackens parts.
    ///
    /// - Throws: `codecFailed` if out of memory.
    package init(_ mask: PrivacyMask) throws(MediaEncodingError) {
        self.mask = mask
        tools = Mutex(Tools(jpeg: try JPEGMasker()))
    }

    /// Copies a frame with its masked parts black.
    package func masked(_ bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8] {
        try tools.withLock { tools -> Result<[UInt8], CaptureError> in
            do throws(MediaEncodingError) {
                return .success(try info.pixelFormat.isJPEG ? jpeg(bytes, &tools) : samples(bytes, info, &tools))
            } catch {
                return .failure(CaptureError(encoding: error))
            }
        }.get()
    }

    private func jpeg(_ bytes: RawSpan, _ tools: inout Tools) throws(MediaEncodingError) -> [UInt8] {
        let layout = try tools.jpeg.layout(of: bytes)
        let raster = raster(layout.size, layout.cell, &tools)
        return try tools.jpeg.masked(bytes, layout, raster)
    }

    private func samples(
        _ bytes: RawSpan,
        _ info: FrameInfo,
        _ tools: inout Tools
    ) throws(MediaEncodingError) -> [UInt8] {
        let planes: [MaskedPlane]
        if let layout = BayerLayout(info.pixelFormat) {
            planes = [try layout.maskedPlane(bytes.byteCount, info)]
        } else {
            planes = try RawFrame(bytes.byteCount, info).maskedPlanes(of: info)
        }
        var samples = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        let raster = raster(info.size, Self.rawCell, &tools)
        for plane in planes { plane.blacken(&samples, raster) }
        return samples
    }

    /// The covered cells, computed when the picture's size changes.
    private func raster(_ size: PixelSize, _ cell: PixelSize, _ tools: inout Tools) -> MaskRaster {
        if let known = tools.raster, known.size == size, known.cell == cell { return known }
        let raster = MaskRaster(mask, size: size, cell: cell)
        tools.raster = raster
        return raster
    }
}
