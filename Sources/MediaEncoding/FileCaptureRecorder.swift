import CFFmpeg
package import Capture
import PhotoModel

/// Makes stills and QuickTime movies in folders: JPEG and HEIC, H.264 and HEVC.
package struct FileCaptureRecorder: CaptureRecorder {
    /// How many movies are encoded at the same moment; others take turns with them, frame by frame.
    static let movieQueueCount = 2

    /// The formats of stills that it writes.
    package let stillFormats: Set<StillFormat> = [.jpeg, .heic]

    private let software: String
    private let stills: StillWriter
    /// HEIC takes a second where JPEG takes milliseconds: it has a queue of its own.
    private let compressedStills: StillWriter
    private let movieQueues: [MovieQueues]

    /// A recorder.
    ///
    /// - Parameter software: the name and version that files say they were made by.
    package init(software: String) {
        // The libraries talk to standard error; what matters of it comes back as errors.
        av_log_set_level(AV_LOG_ERROR)
        self.software = software
        stills = StillWriter(on: QueueExecutor(label: "tintype.still"))
        compressedStills = StillWriter(on: QueueExecutor(label: "tintype.still.heic"))
        movieQueues = (0..<Self.movieQueueCount).map(MovieQueues.init(number:))
    }

    /// Writes a still; a JPEG without decoding it.
    package func recordStill(_ request: StillRequest) async throws(CaptureError) -> RecordedStill {
        let writer = request.format == .jpeg ? stills : compressedStills
        do throws(MediaEncodingError) {
            return try await writer.write(request, software: software)
        } catch {
            throw CaptureError(encoding: error)
        }
    }

    /// Encodes a movie while its frames arrive.
    package func recordMovie(_ request: MovieRequest) async throws(CaptureError) -> RecordedMovie {
        let number = Int(truncatingIfNeeded: request.description.id.rawValue & 0x7FFF) % movieQueues.count
        do {
            return try await MovieWriter(request, software: software, on: movieQueues[number]).write()
        } catch {
            throw CaptureError(encoding: error)
        }
    }
}
