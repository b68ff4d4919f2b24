package import Capture
import MediaFormats
import PhotoModel
import SystemPackage

/// Makes JPEG stills and QuickTime movies in folders.
package struct FileCaptureRecorder: CaptureRecorder {
    /// How many movies are encoded at the same moment; others take turns with them, frame by frame.
    static let movieQueueCount = 2

    private let software: String
    private let stills: StillWriter
    private let movieQueues: [QueueExecutor]

    /// A recorder.
    ///
    /// - Parameter software: the name and version that files say they were made by.
    package init(software: String) {
        self.software = software
        stills = StillWriter(on: QueueExecutor(label: "tintype.still"))
        movieQueues = (0..<Self.movieQueueCount).map { QueueExecutor(label: "tintype.movie.\($0)") }
    }

    /// Writes a still without decoding it.
    package func recordStill(_ request: StillRequest) async throws(CaptureError) -> RecordedStill {
        do throws(MediaEncodingError) {
            return try await stills.write(request, software: software)
        } catch {
            throw CaptureError(encoding: error)
        }
    }

    /// Encodes a movie while its frames arrive.
    package func recordMovie(_ request: MovieRequest) async throws(CaptureError) -> RecordedMovie {
        let queue = movieQueues[Int(truncatingIfNeeded: request.description.id.rawValue & 0x7FFF) % movieQueues.count]
        do throws(MediaEncodingError) {
            return try await MovieWriter(request, software: software, on: queue).write()
        } catch {
            throw CaptureError(encoding: error)
        }
    }
}

/// Writes stills, one after the other.
actor StillWriter {
    private let executor: QueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(on executor: QueueExecutor) {
        self.executor = executor
    }

    /// Repairs the camera's frame, puts EXIF in front of it and makes the file durable.
    func write(_ request: StillRequest, software: String) throws(MediaEncodingError) -> RecordedStill {
        let description = request.description
        let (bytes, size) = try request.frame.buffer.withBytes { bytes throws(MediaEncodingError) in
            do throws(MediaFormatError) {
                let frame = try MotionJPEGFrame(bytes)
                let size = try JPEGHeader(bytes).pixelSize ?? request.frame.info.size
                let exif = try ExifMetadata(description, size: size, software: software)
                    .bytes(makerNote: description.contentIdentifier.map(AppleMakerNote.bytes(contentIdentifier:)))
                let xmp = XMPProperties(description).packet()
                return (try frame.jpegFile(bytes, exif: exif, xmp: xmp).copyBytes(from: bytes), size)
            } catch {
                throw MediaEncodingError(.damagedInput, "the frame makes no still: \(error)")
            }
        }
        let file = try DurableFile(at: request.path)
        try file.write(bytes)
        let (byteCount, digest) = try file.commit()
        let recorded = RecordedFile(
            path: request.path,
            byteCount: byteCount,
            digest: digest,
            contentType: "image/jpeg"
        )
        return RecordedStill(file: recorded, pixelSize: size)
    }
}

extension XMPProperties {
    /// What EXIF has no field for: what made the shutter fall.
    fileprivate init(_ description: CaptureDescription) {
        self.init()
        let trigger = description.trigger
        documentID = "xmp.did:\(description.id)"
        source = trigger.name.map { "\(trigger.kind.rawValue): \($0)" } ?? trigger.kind.rawValue
    }
}

extension ExifMetadata {
    /// What is known of a capture; the position only where there is one.
    init(_ description: CaptureDescription, size: PixelSize, software: String) {
        self.init()
        let time = CivilTime(
            description.captureTime.wall,
            utcOffsetSeconds: description.captureTime.utcOffsetSeconds ?? 0
        )
        make = description.camera.manufacturer
        model = description.camera.model
        bodySerialNumber = description.camera.serialNumber ?? description.camera.id.rawValue
        self.software = software
        original = ExifDate(time)
        digitized = original
        modified = original
        imageUniqueID = description.id.description.filter { $0 != "-" }
        orientation = description.orientation
        pixelWidth = size.width
        pixelHeight = size.height
        sceneType = 1
        if let location = description.location {
            gps = ExifPosition(location)
            gps.setTime(description.captureTime.wall)
        }
    }
}
