import CFFmpeg
import Capture
import MediaFormats
import PhotoModel

/// Reads one network camera or recording on its own thread, which may block.
actor NetworkReader {
    /// How long a camera may take to respond and be probed.
    static let connectionLimit = Duration.seconds(15)
    /// How long a camera may be silent.
    static let silenceLimit = Duration.seconds(5)

    /// An open stream, with its decoder if it needs one.
    private final class Connection {
        let input: MediaInput
        var decoder: VideoDecoder?

        init(_ address: CameraAddress, _ interruption: Interruption) throws(MediaEncodingError) {
            interruption.allow(NetworkReader.connectionLimit)
            let input = try MediaInput(address, interruption: interruption)
            decoder = input.description.isMotionJPEG ? nil : try VideoDecoder(input)
            self.input = input
        }
    }

    /// One picture, as received or decoded.
    private struct Picture {
        let bytes: [UInt8]
        let pixelFormat: PixelFormat
        let size: PixelSize
        /// The time since the stream's own zero; nil if unknown.
        let time: Duration?
        let isDamaged: Bool
    }

    private let executor: QueueExecutor
    private let address: CameraAddress
    private let clock: any CaptureClock
    private let interruption: Interruption
    private var connection: Connection?
    private var times = PresentationClock()
    private var sequence: UInt32 = 0
    /// The number of delivered frames.
    private(set) var deliveredCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Creates a reader without connecting.
    init(_ address: CameraAddress, clock: any CaptureClock, interruption: Interruption) {
        executor = QueueExecutor(label: "tintype.network")
        self.address = address
        self.clock = clock
        self.interruption = interruption
    }

    /// Connects, unless already connected.
    ///
    /// - Returns: the stream's properties.
    /// - Throws: `containerFailed` if it cannot be reached, `unsupported` if it is not a camera.
    func connect() throws(MediaEncodingError) -> MediaInput.Description {
        if let connection { return connection.input.description }
        let made = try Connection(address, interruption)
        connection = made
        return made.input.description
    }

    /// Delivers frames until the stream ends or is stopped, and closes the connection.
    ///
    /// A recording plays at its own rate; a camera's frames are delivered on arrival.
    ///
    /// - Parameter receiver: takes the frames.
    /// - Throws: `containerFailed` if the camera cannot be reached or the connection broke.
    func deliver(to receiver: any FrameReceiver) async throws(MediaEncodingError) {
        _ = try connect()
        guard let connection else { return }
        self.connection = nil
        let description = connection.input.description
        let start = clock.reading().monotonic
        var first: Duration?
        var isOver = false
        while !interruption.wasStopped, !isOver {
            let (pictures, isLast) = try read(connection)
            isOver = isLast
            for picture in pictures {
                guard address.isLive else {
                    let time = picture.time ?? description.frameInterval.offset(ofFrame: deliveredCount)
                    first = first ?? time
                    let due = start.advanced(by: time - (first ?? time))
                    guard (try? await clock.sleep(until: due)) != nil else { return }
                    hand(picture, to: receiver, takenAt: times.time(of: nil, arrivedAt: due))
                    continue
                }
                let arrival = clock.reading().monotonic
                let time = times.time(of: description.hasTimes ? picture.time : nil, arrivedAt: arrival)
                hand(picture, to: receiver, takenAt: time)
            }
        }
    }

    /// Reads one packet, which yields zero or more pictures.
    private func read(_ connection: Connection) throws(MediaEncodingError) -> (pictures: [Picture], isLast: Bool) {
        let description = connection.input.description
        var pictures: [Picture] = []
        func keep(_ picture: PlanarPicture, _ stamp: Int64) {
            pictures.append(
                Picture(
                    bytes: picture.samples,
                    pixelFormat: .i420,
                    size: picture.size,
                    time: connection.input.duration(of: stamp),
                    isDamaged: false
                )
            )
        }
        let isOpen = try unsafe connection.input.read(within: Self.silenceLimit) { packet throws(MediaEncodingError) in
            guard description.isMotionJPEG else {
                try unsafe connection.decoder?.decode(packet, keep)
                return
            }
            let packet = unsafe packet.pointee
            pictures.append(
                Picture(
                    bytes: unsafe Array(UnsafeBufferPointer(start: packet.data, count: Int(packet.size))),
                    pixelFormat: .motionJPEG,
                    size: description.size,
                    time: unsafe connection.input.duration(of: packet.pts),
                    isDamaged: unsafe packet.flags & AV_PKT_FLAG_CORRUPT != 0
                )
            )
        }
        if !isOpen { try unsafe connection.decoder?.decode(nil, keep) }
        return (pictures, !isOpen)
    }

    private func hand(_ picture: Picture, to receiver: any FrameReceiver, takenAt time: MonotonicTime) {
        let info = FrameInfo(
            sequence: sequence,
            timestamp: time,
            pixelFormat: picture.pixelFormat,
            size: picture.size,
            bytesPerLine: picture.pixelFormat.isJPEG ? 0 : picture.size.width,
            isFullRange: true,
            clock: clock.reading(),
            isDamaged: picture.isDamaged
        )
        sequence &+= 1
        deliveredCount += 1
        picture.bytes.withBytes { receiver.receive($0, info) }
    }
}
