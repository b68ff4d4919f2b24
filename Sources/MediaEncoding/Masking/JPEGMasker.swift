import CTurboJPEG
import Capture
import MediaFormats
import PhotoModel

/// Blackens blocks of a JPEG among its coefficients, without decoding pixels: all others keep their exact values.
///
/// Metadata segments are dropped, since a thumbnail among them would show what is masked. Use a masker from one thread
/// at a time.
@safe
struct JPEGMasker: ~Copyable {
    /// A JPEG's size and block structure.
    struct Layout {
        let size: PixelSize
        /// The pixels of a minimum coded unit (T.81, A.2): the smallest part that blocks of all components cover.
        let cell: PixelSize
        /// The coefficient of a black luma block, before its step.
        let blackMean: Int16
        /// The sampling by libjpeg-turbo's number.
        let sampling: Int32
    }

    /// The most pixels for which memory is allocated: 3 to 6 bytes each.
    private static let maximumPixelCount = 64 << 20

    private let handle: tjhandle

    /// Creates a masker.
    ///
    /// The corresponding C function is `tjInitTransform`.
    init() throws(MediaEncodingError) {
        guard let handle = unsafe tjInitTransform() else {
            throw MediaEncodingError(.codecFailed, "no memory for a JPEG transformer")
        }
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe tjDestroy(handle)
    }

    /// Reads the header.
    ///
    /// - Throws: `damagedInput`; `unsupported` for colours or samplings that no camera uses.
    func layout(of bytes: RawSpan) throws(MediaEncodingError) -> Layout {
        guard let header = unsafe TurboHeader(bytes, handle) else { throw failure() }
        guard let step = (try? JPEGHeader(bytes))?.lumaMeanStep(in: bytes) else {
            throw MediaEncodingError(.damagedInput, "a JPEG without its quantization table")
        }
        let cells: [UInt32: PixelSize] = [
            TJSAMP_444.rawValue: PixelSize(width: 8, height: 8), TJSAMP_GRAY.rawValue: PixelSize(width: 8, height: 8),
            TJSAMP_422.rawValue: PixelSize(width: 16, height: 8), TJSAMP_440.rawValue: PixelSize(width: 8, height: 16),
            TJSAMP_420.rawValue: PixelSize(width: 16, height: 16), TJSAMP_411.rawValue: PixelSize(width: 32, height: 8),
        ]
        let isLumaFirst = [TJCS_YCbCr, TJCS_GRAY].contains { Int32(bitPattern: $0.rawValue) == header.colors }
        let size = PixelSize(width: Int(header.width), height: Int(header.height))
        guard let cell = cells[UInt32(bitPattern: header.sampling)], isLumaFirst, size.width > 0, size.height > 0,
            size.width * size.height <= Self.maximumPixelCount
        else {
            throw MediaEncodingError(.unsupported, "a JPEG of this size, colours or sampling cannot be masked")
        }
        return Layout(
            size: size,
            cell: cell,
            // 128 below the middle, times 8 (T.81, A.3.3); rounded down, so that it is cut to black.
            blackMean: Int16(-((1024 + step - 1) / step)),
            sampling: header.sampling
        )
    }

    /// Rewrites a JPEG with the covered cells black; it becomes baseline, with the standard Huffman tables.
    ///
    /// The corresponding C function is `tjTransform`.
    ///
    /// - Throws: `damagedInput`, `codecFailed`.
    func masked(_ bytes: RawSpan, _ layout: Layout, _ raster: MaskRaster) throws(MediaEncodingError) -> [UInt8] {
        let blackening = Blackening(layout, raster)
        var transform = unsafe tjtransform()
        unsafe transform.options = TJXOPT_COPYNONE
        unsafe transform.data = Unmanaged.passUnretained(blackening).toOpaque()
        unsafe transform.customFilter = { coefficients, row, _, component, _, transform in
            guard let coefficients = unsafe coefficients, let data = unsafe transform?.pointee.data else { return -1 }
            unsafe Unmanaged<Blackening>.fromOpaque(data).takeUnretainedValue()
                .apply(to: coefficients, row, isLuma: component == 0)
            return 0
        }
        let capacity = Int(tjBufSize(Int32(layout.size.width), Int32(layout.size.height), layout.sampling))
        guard capacity > 0 else { throw failure() }
        var status: Int32 = 0
        let target = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var start = buffer.baseAddress
            var byteCount = UInt(capacity)
            status = unsafe bytes.withUnsafeBytes { source in
                unsafe tjTransform(
                    handle,
                    source.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    UInt(source.count),
                    1,
                    &start,
                    &byteCount,
                    &transform,
                    TJFLAG_NOREALLOC
                )
            }
            // Cameras pad frames and cut some short; libjpeg completes those, and they are masked too.
            if status != 0, unsafe tjGetErrorCode(handle) == Int32(bitPattern: TJERR_WARNING.rawValue) { status = 0 }
            count = status == 0 ? Int(byteCount) : 0
        }
        withExtendedLifetime(blackening) {}
        guard status == 0 else { throw failure() }
        return unsafe target.withUnsafeBufferPointer { unsafe Array($0) }
    }

    private func failure() -> MediaEncodingError {
        MediaEncodingError(.damagedInput, "masking a JPEG: \(unsafe String(cString: tjGetErrorStr2(handle)))")
    }
}

/// Replaces the coefficients of covered blocks, one row of blocks of one component at a time.
private final class Blackening {
    private let raster: MaskRaster
    private let blackMean: Int16
    /// The luma blocks of a cell; it has one block of each other component.
    private let lumaBlocks: PixelSize

    init(_ layout: JPEGMasker.Layout, _ raster: MaskRaster) {
        self.raster = raster
        blackMean = layout.blackMean
        lumaBlocks = PixelSize(width: layout.cell.width / 8, height: layout.cell.height / 8)
    }

    func apply(to coefficients: UnsafeMutablePointer<Int16>, _ row: tjregion, isLuma: Bool) {
        let blocks = isLuma ? lumaBlocks : PixelSize(width: 1, height: 1)
        let cellRow = Int(row.y) / 8 / blocks.height
        guard raster.rows.indices.contains(cellRow) else { return }
        let blockCount = Int(row.w) / 8
        for columns in raster.rows[cellRow] {
            for block in columns.lowerBound * blocks.width..<min(blockCount, columns.upperBound * blocks.width) {
                let start = unsafe coefficients + block * 64
                unsafe start.update(repeating: 0, count: 64)
                if isLuma { unsafe start.pointee = blackMean }
            }
        }
    }
}
