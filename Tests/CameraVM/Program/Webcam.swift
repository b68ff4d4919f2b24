import Capture
import MediaEncoding
import MediaFormats
import PhotoModel

/// The USB webcam made of software (`usb-webcam.c`) with the pictures that it shows in turn.
struct Webcam: Sendable {
    static let serialNumber = "TT-0001"
    static let size = PixelSize(width: 640, height: 360)

    /// The pictures, as they are sent.
    let pictures: [[UInt8]]
    private let paths: [String]

    /// A webcam that is not plugged in yet.
    ///
    /// - Parameter change: makes of the picture of a number what a worse webcam would send.
    /// - Throws: what compressing, `change` and writing the files throw.
    init(_ change: (_ number: Int, _ jpeg: [UInt8]) throws -> [UInt8] = { _, jpeg in jpeg }) throws {
        let compressor = try TurboFrameCompressor()
        let picture = SyntheticPicture(size: Self.size)
        let reading = Cameras.clock.reading()
        let info = FrameInfo(
            sequence: 0,
            timestamp: reading.monotonic,
            pixelFormat: .i420,
            size: Self.size,
            bytesPerLine: Self.size.width,
            isFullRange: true,
            clock: reading
        )
        pictures = try (0..<10).map { number in
            let samples = picture.samples(frame: number, isClap: false, reading: reading)
            let jpeg = try samples.withBytes { bytes throws(CaptureError) in try compressor.jpeg(of: bytes, info) }
            return try change(number, jpeg)
        }
        paths = pictures.indices.map { "\(Machine.folder)/picture-\($0).jpg" }
        for (path, picture) in zip(paths, pictures) { try Machine.write(picture, to: path) }
    }

    /// Plugs it in and waits for its nodes, of which the second gives metadata; ending the program pulls the plug.
    func plugIn() async throws -> BackgroundProgram {
        let format = ["\(Self.size.width)", "\(Self.size.height)", "30"]
        let program = try Machine.start(Machine.webcamProgram, format + paths)
        try await Machine.wait(for: "the webcam's nodes") { Machine.exists("/dev/video1") && program.isRunning }
        return program
    }

    /// A JPEG without what is only said of it.
    static func imageData(of jpeg: [UInt8]) throws -> [UInt8] {
        let layout = try jpeg.withBytes { bytes throws(MediaFormatError) in try JPEGLayout(bytes) }
        return layout.imageDataRanges.flatMap { jpeg[$0.bounds] }
    }

    /// A JPEG without its Huffman tables, as many webcams send it (MJPEG payload specification, 2.1).
    static func withoutHuffmanTables(_ jpeg: [UInt8]) throws -> [UInt8] {
        let header = try jpeg.withBytes { bytes throws(MediaFormatError) in try JPEGHeader(bytes) }
        var rest = jpeg
        for segment in header.segments.reversed() where segment.marker == .huffmanTables {
            rest.removeSubrange(segment.range.bounds)
        }
        return rest
    }
}
