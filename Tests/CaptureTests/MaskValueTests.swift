import MediaFormats
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import Capture

struct MaskValueTests {
    @Test(
        "A polygon is written as it is read; two corners are a rectangle",
        arguments: [
            ("0,0 1,0 0.5,0.25", "0.0,0.0 1.0,0.0 0.5,0.25"),
            ("0.1,0.2 0.4,0.6", "0.1,0.2 0.4,0.2 0.4,0.6 0.1,0.6"), (" 0,0  1,1 ", "0.0,0.0 1.0,0.0 1.0,1.0 0.0,1.0"),
        ]
    )
    func text(text: String, written: String) throws {
        let polygon = try #require(PicturePolygon(text))
        #expect(polygon.description == written && PicturePolygon(written) == polygon)
    }

    @Test(
        "Nonsense is no polygon",
        arguments: ["", "0,0", "0,0 1", "0,0 1,1,1", "0,0 1,x", "0,0 2,1", "0,0 nan,1", "0,0 -0.1,1 1,1"]
    )
    func nonsense(text: String) {
        #expect(PicturePolygon(text) == nil)
    }

    @Test("A mask has an area, and no more text than a manifest takes")
    func limits() throws {
        #expect(PrivacyMask(areas: []) == nil)
        let area = try #require(PicturePolygon("0,0 0.5,0.5"))
        let mask = try #require(PrivacyMask(areas: [area, area]))
        #expect(mask.text == "\(area); \(area)")
        #expect(PrivacyMask(areas: [PicturePolygon](repeating: area, count: 100)) == nil)
    }

    @Test("Each pixel of an area lies in a covered cell with a pixel to spare, and no cell beyond that is covered")
    func raster() throws {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<40 {
            let size = PixelSize(
                width: Int.random(in: 20...150, using: &generator),
                height: Int.random(in: 20...150, using: &generator)
            )
            let cell = PixelSize(width: [8, 16].randomElement(using: &generator) ?? 8, height: 8)
            let corners = (0..<Int.random(in: 3...6, using: &generator)).map { _ in
                PicturePolygon.Point(
                    x: Double.random(in: 0...1, using: &generator),
                    y: Double.random(in: 0...1, using: &generator)
                )
            }
            let area = try #require(PicturePolygon(corners: corners))
            let mask = try #require(PrivacyMask(areas: [area]))
            let raster = MaskRaster(mask, size: size, cell: cell)
            func isCovered(_ x: Int, _ y: Int) -> Bool {
                raster.rows[y / cell.height].contains { $0.contains(x / cell.width) }
            }
            func isIn(_ x: Double, _ y: Double) -> Bool {
                area.contains(x: x / Double(size.width), y: y / Double(size.height))
            }
            var cells: Set<PixelSize> = []
            for y in 0..<size.height {
                for x in 0..<size.width where isIn(Double(x) + 0.5, Double(y) + 0.5) {
                    for (column, row) in [(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
                    where 0..<size.width ~= column && 0..<size.height ~= row {
                        #expect(isCovered(column, row))
                        cells.insert(PixelSize(width: column / cell.width, height: row / cell.height))
                    }
                }
            }
            // Slivers thinner than a pixel are covered, too: at most the cells along the edges.
            let covered = raster.rows.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
            #expect(covered >= cells.count)
            let columns = corners.map { Int($0.x * Double(size.width)) }
            let widest = ((columns.max() ?? 0) - (columns.min() ?? 0)) / cell.width + 3
            #expect(raster.rows.allSatisfy { row in row.reduce(0) { $0 + $1.count } <= widest })
        }
    }
}

/// How a running camera uses its masker.
struct MaskedPipelineTests {
    /// Answers every frame with other bytes, or refuses it.
    private final class MarkingMasker: FrameMasker {
        let callCount = Atomic<Int>(0)
        let refuses: Bool

        init(refuses: Bool = false) {
            self.refuses = refuses
        }

        func masked(_ bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8] {
            callCount.add(1, ordering: .relaxed)
            if refuses { throw CaptureError(.unsupported, "not to be masked") }
            return [7, 7, 7]
        }
    }

    /// Compresses a raw frame to itself.
    private struct EchoCompressor: FrameCompressor {
        func jpeg(of bytes: RawSpan, _ info: FrameInfo) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
        func meanLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double? { 0.5 }
    }

    private static func pipeline(_ masker: MarkingMasker, keepsSamples: Bool = false) async throws -> CameraPipeline {
        let bench = try await Bench()
        return CameraPipeline(
            ringDuration: .seconds(1),
            budget: MediaBudget(limit: 1 << 20),
            compressor: EchoCompressor(),
            masker: masker,
            consent: bench.consent,
            keepsSamples: keepsSamples,
            warmsUp: false
        )
    }

    @Test("A JPEG is masked once, when somebody first reads it")
    func lazily() async throws {
        let masker = MarkingMasker()
        let pipeline = try await Self.pipeline(masker)
        for index in 0..<3 {
            tinyJPEG().withBytes { pipeline.receive($0, frameInfo(UInt32(index), at(Int64(index) * 33))) }
        }
        #expect(masker.callCount.load(ordering: .relaxed) == 0)
        let frame = try #require(pipeline.ring.newest)
        for _ in 0..<2 { #expect(frame.buffer.withBytes { $0.byteCount } == 3) }
        #expect(frame.buffer.copyBytes() == [7, 7, 7])
        #expect(masker.callCount.load(ordering: .relaxed) == 1)
    }

    @Test("Samples are masked before they are compressed")
    func samples() async throws {
        let pipeline = try await Self.pipeline(MarkingMasker())
        [UInt8](repeating: 1, count: 64).withBytes { pipeline.receive($0, frameInfo(0, at(0), format: .yuyv)) }
        #expect(pipeline.ring.newest?.buffer.copyBytes() == [7, 7, 7])
    }

    @Test("Samples that PNG and DNG keep are masked, and so is the JPEG made of them")
    func keptSamples() async throws {
        let pipeline = try await Self.pipeline(MarkingMasker(), keepsSamples: true)
        [UInt8](repeating: 1, count: 64).withBytes { pipeline.receive($0, frameInfo(0, at(0), format: .yuyv)) }
        let frame = try #require(pipeline.ring.newest)
        #expect(frame.samples?.buffer.copyBytes() == [7, 7, 7])
        #expect(frame.buffer.copyBytes() == [7, 7, 7])
    }

    @Test("A frame that cannot be masked shows nothing")
    func refused() async throws {
        let pipeline = try await Self.pipeline(MarkingMasker(refuses: true))
        [UInt8](repeating: 1, count: 64).withBytes { pipeline.receive($0, frameInfo(0, at(0), format: .yuyv)) }
        #expect(pipeline.ring.newest == nil && pipeline.counts.dropped == [.compressionFailed: 1])
        tinyJPEG().withBytes { pipeline.receive($0, frameInfo(1, at(33))) }
        #expect(pipeline.ring.newest?.buffer.copyBytes() == [])
    }
}
