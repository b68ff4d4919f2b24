import CFFmpeg
package import Capture
import PhotoModel

/// Records stills and QuickTime movies into folders: JPEG, HEIC, AVIF, PNG and DNG, H.264 and HEVC.
package struct FileCaptureRecorder: CaptureRecorder {
    /// How many movies are encoded at once; further ones take turns with them, frame by frame.
    static let movieQueueCount = 2

    /// What to install to write stills of a format; nil if nothing is missing.
    package static func missingEncoder(of format: StillFormat) -> String? {
        switch format {
        case .heic where !HEIFStill.Codec.hevc.isAvailable:
            "libheif has no HEVC encoder here: install libheif-plugin-x265"
        case .avif where !HEIFStill.Codec.av1.isAvailable:
            "libheif has no AV1 encoder here: install libheif-plugin-aomenc"
        default: nil
        }
    }

    /// The still formats it writes.
    package var stillFormats: Set<StillFormat> { Set(StillFormat.allCases) }

    private let software: String
    private let stills: StillWriter
    /// HEIC takes a second where JPEG takes milliseconds: it has its own queue.
    private let compressedStills: StillWriter
    private let movieQueues: [MovieQueues]
    private let hardware: [VideoEncoder]
    private let encoders = VideoEncoderList()
    private let mayOpenVideoNodes: @Sendable () async -> Bool

    /// Creates a recorder of the program whose name and version are in the files.
    ///
    /// For each movie it asks whether every video node, cameras included, may be opened to look for a hardware encoder.
    package init(software: String, mayOpenVideoNodes: @escaping @Sendable () async -> Bool = { false }) {
        self.init(software: software, hardware: [.videoForLinux, .graphics], mayOpenVideoNodes: mayOpenVideoNodes)
    }

    /// Creates a recorder that tries these encoders before x264.
    init(software: String, hardware: [VideoEncoder], mayOpenVideoNodes: @escaping @Sendable () async -> Bool) {
        // The libraries write to standard error; anything important is returned as an error.
        av_log_set_level(AV_LOG_ERROR)
        self.software = software
        self.hardware = hardware
        self.mayOpenVideoNodes = mayOpenVideoNodes
        stills = StillWriter(on: QueueExecutor(label: "tintype.still"))
        compressedStills = StillWriter(on: QueueExecutor(label: "tintype.still.heic"))
        movieQueues = (0..<Self.movieQueueCount).map(MovieQueues.init(number:))
    }

    /// Writes a still; a JPEG is not decoded for it.
    package func recordStill(_ request: StillRequest) async throws(CaptureError) -> RecordedStill {
        let writer = request.format == .jpeg ? stills : compressedStills
        do throws(MediaEncodingError) {
            return try await writer.write(request, software: software)
        } catch {
            throw CaptureError(encoding: error)
        }
    }

    /// The H.264 encoder tried first for movies, by libavcodec's name: `h264_v4l2m2m`, `h264_vaapi` or `libx264`.
    package func videoEncoderName() async -> String? {
        await videoEncoders().first?.name
    }

    /// The hardware encoders that may be used, then x264.
    private func videoEncoders() async -> [VideoEncoder] {
        let mayOpenNodes = await mayOpenVideoNodes()
        let allowed = hardware.filter { mayOpenNodes || $0.name != VideoEncoder.videoForLinux.name }
        return await encoders.available(allowed) + [.software]
    }

    /// Encodes a movie as its frames arrive.
    package func recordMovie(_ request: MovieRequest) async throws(CaptureError) -> RecordedMovie {
        let number = Int(truncatingIfNeeded: request.description.id.rawValue & 0x7FFF) % movieQueues.count
        do {
            let writer = MovieWriter(
                request: request,
                software: software,
                encoders: request.codec == .h264 ? await videoEncoders() : [.software],
                queues: movieQueues[number]
            )
            return try await writer.write()
        } catch {
            throw CaptureError(encoding: error)
        }
    }
}
