import Capture
import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import CaptureLinux

struct FormatTests {
    private static func rate(_ framesPerSecond: UInt32) throws -> FrameInterval {
        try #require(FrameInterval(numerator: 1, denominator: framesPerSecond))
    }

    private func formats(_ change: (inout ScriptedDevice.State) -> Void) throws -> [CaptureFormat] {
        let device = ScriptedDevice(change)
        let descriptor = VideoDescriptor(rawValue: 3)
        return FormatList(calls: device, descriptor: descriptor).formats
    }

    @Test("A range of sizes is offered by its ends and the common sizes that its steps allow")
    func ranges() throws {
        let found = try formats { state in
            state.sizes = [
                .range(
                    smallest: PixelSize(width: 32, height: 32),
                    largest: PixelSize(width: 1936, height: 1096),
                    step: PixelSize(width: 16, height: 8)
                )
            ]
            state.intervals = [.discrete(.thirtiethSecond)]
        }
        #expect(
            Set(found.map(\.size.description))
                == ["1936x1096", "1280x720", "1024x768", "800x600", "640x480", "320x240", "1920x1080", "32x32"]
        )
    }

    @Test("A range of intervals is offered by its ends and the common rates in between")
    func intervals() throws {
        let range = VideoIntervals.range(shortest: try Self.rate(90), longest: try Self.rate(12))
        let found = try formats { $0.intervals = [range] }
        #expect(Set(found.map(\.frameInterval.framesPerSecond)) == [90, 60, 50, 30, 25, 15, 12])
        #expect(found.first?.frameInterval.framesPerSecond == 30)
    }

    @Test("T149: sizes that no picture has are not offered, and do not end the agent")
    func absurdSizes() throws {
        let absurd = [(Int(UInt32.max), Int(UInt32.max)), (65_535, 65_535), (0, 48)]
        let found = try formats { state in
            state.sizes += absurd.map { VideoSizes.discrete(PixelSize(width: $0.0, height: $0.1)) }
            state.intervals = [.discrete(.thirtiethSecond)]
        }
        #expect(found.map(\.size) == [PixelSize(width: 64, height: 48)])
    }

    @Test("A driver that lists nothing is asked what it would make of each format")
    func nothingListed() throws {
        let found = try formats { state in
            state.formats = []
            state.sizes = []
            state.intervals = []
            state.tried = { format in
                guard format.pixelFormat == .uyvy else { return VideoFormat(pixelFormat: .uyvy, size: format.size) }
                return VideoFormat(pixelFormat: .uyvy, size: PixelSize(width: 720, height: 576))
            }
        }
        let only = CaptureFormat(
            pixelFormat: .uyvy,
            size: PixelSize(width: 720, height: 576),
            frameInterval: .thirtiethSecond
        )
        #expect(found == [only])
    }

    @Test("A driver whose lists never end is read to a limit")
    func endlessLists() throws {
        #expect(try formats { $0.repeatsLists = true }.count == 1)
    }

    /// A format by its code, size and rate; the order that they are written in is the order that they must come in.
    private static let order: [(PixelFormat, Int, Int, UInt32)] = [
        (.motionJPEG, 1920, 1080, 30), (.motionJPEG, 1280, 720, 30), (.motionJPEG, 1280, 720, 60),
        (.nv12, 1920, 1080, 30), (.yuyv, 640, 480, 30), (.yuyv, 3840, 2160, 30),
        (.motionJPEG, 3840, 2160, 15), (.yuyv, 1280, 720, 20),
        (.yuyv, 1920, 1080, 10), (.motionJPEG, 4000, 3000, 5), (.yuyv, 2592, 1944, 2),
    ]

    @Test("What reaches 25 frames a second comes before what reaches 15, and a large size twice a second comes last")
    func policy() throws {
        let expected = try Self.order.map { entry in
            CaptureFormat(
                pixelFormat: entry.0,
                size: PixelSize(width: entry.1, height: entry.2),
                frameInterval: try Self.rate(entry.3)
            )
        }
        #expect(FormatList.ranked(expected.reversed()) == expected)
        #expect(FormatList.ranked(expected) == expected)
    }

    @Test(
        "A format that only libv4lconvert knows is offered by a camera that has no other, and its frames are converted"
    )
    func conversion() async throws {
        let rare = PixelFormat("PJPG")
        #expect(try Set(formats { $0.formats = [(rare, false), (.yuyv, false)] }.map(\.pixelFormat)) == [.yuyv])
        let device = ScriptedDevice { $0.formats = [(rare, false)] }
        let camera = try VideoCameraDiscovery.first(device)
        let format = try #require(try await camera.examined().formats.first)
        #expect(format.pixelFormat == rare)
        let receiver = NotingReceiver()
        let stream = try await camera.open(format)
        device.state.withLock { $0.steps = [filled(1, 0, age: 40), filled(0, 1, age: 0)] }
        try await stream.run(receiver)
        let frames = receiver.frames.withLock(\.self)
        #expect(frames.map(\.info.pixelFormat) == [.i420, .i420])
        #expect(frames.first?.info.bytesPerLine == 64)
        // The scripted memory of buffer 1 begins with 1; that of buffer 0 is what it takes for damage.
        #expect(frames.map(\.bytes) == [[UInt8](repeating: 1, count: 64 * 48 * 3 / 2), []])
        #expect(device.leaks == [])
    }

    @Test("H.264 is refused before anything is asked of the driver, with the reason")
    func h264() async throws {
        let device = ScriptedDevice { $0.formats = [(.h264, false), (.yuyv, false)] }
        let camera = try VideoCameraDiscovery.first(device)
        #expect(Set(try await camera.examined().formats.map(\.pixelFormat)) == [.yuyv])
        let wanted = CaptureFormat(
            pixelFormat: .h264,
            size: PixelSize(width: 64, height: 48),
            frameInterval: .thirtiethSecond
        )
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.open(wanted) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("H264") == true)
        #expect(device.state.withLock { !$0.calls.contains("setFormat") })
        #expect(device.leaks == [])
    }
}

struct PlaneTests {
    private static let size = PixelSize(width: 4, height: 2)

    private func play(
        _ format: VideoFormat,
        lengths: [Int],
        _ buffer: DequeuedBuffer
    ) async throws -> (frames: [(info: FrameInfo, bytes: [UInt8])], device: ScriptedDevice) {
        let device = ScriptedDevice { state in
            state.formats = [(format.pixelFormat, false)]
            state.grantedFormat = format
            state.planeLengths = lengths
            state.capabilities = VideoCapabilities(
                card: "Planes",
                busInfo: "platform:x",
                flags: [.videoCapturePlanes, .streaming],
                deviceFlags: []
            )
        }
        let camera = try VideoCameraDiscovery.first(device)
        let stream = try await camera.open(
            CaptureFormat(pixelFormat: format.pixelFormat, size: format.size, frameInterval: .thirtiethSecond)
        )
        device.state.withLock { $0.steps = [.frame(buffer)] }
        let receiver = NotingReceiver()
        try await stream.run(receiver)
        #expect(device.state.withLock(\.interface) == .multiPlanar)
        #expect(device.leaks == [])
        return (receiver.frames.withLock(\.self), device)
    }

    private func buffer(_ planes: [DequeuedBuffer.Plane]) -> DequeuedBuffer {
        DequeuedBuffer(index: 0, planes: planes, sequence: 0, timestamp: StandingClock.now)
    }

    @Test("Of one plane the header is left out, which the driver counts among its bytes")
    func dataOffset() async throws {
        let format = VideoFormat(pixelFormat: .nv12, size: Self.size, bytesPerLine: [4])
        let (frames, _) = try await play(format, lengths: [64], buffer([.init(byteCount: 20, dataOffset: 8)]))
        #expect(frames.map(\.bytes) == [(8..<20).map { UInt8($0) }])
        #expect(frames.map(\.info.bytesPerLine) == [4])
    }

    @Test(
        "A header or a length that cannot be makes a frame short or empty, never one that reaches beyond its memory",
        arguments: [(0, 8), (99, 99), (4, 8), (1000, 0), (-5, 0)]
    )
    func nonsense(byteCount: Int, dataOffset: Int) async throws {
        let format = VideoFormat(pixelFormat: .nv12, size: Self.size, bytesPerLine: [4])
        let plane = DequeuedBuffer.Plane(byteCount: byteCount, dataOffset: dataOffset)
        let (frames, _) = try await play(format, lengths: [16], buffer([plane]))
        #expect(frames.map { $0.bytes.count <= 16 } == [true])
    }

    @Test("Planes in memory of their own are joined, whatever their strides and headers are")
    func joining() async throws {
        // Memory holds its offset, of the second plane 100 more. Luma has rows of 6 bytes, chroma of 5 after 3 of header.
        let format = VideoFormat(pixelFormat: .nv12Planes, size: Self.size, bytesPerLine: [6, 5])
        let planes = [DequeuedBuffer.Plane(byteCount: 12), DequeuedBuffer.Plane(byteCount: 8, dataOffset: 3)]
        let (frames, _) = try await play(format, lengths: [16, 16], buffer(planes))
        let luma = (0..<12).map { UInt8($0) }
        let chroma = [103, 104, 105, 106, 107, 0] as [UInt8]
        #expect(frames.map(\.bytes) == [luma + chroma])
        #expect(frames.map(\.info.pixelFormat) == [.nv12])
        #expect(frames.map(\.info.bytesPerLine) == [6])
    }

    @Test("Three planes are joined in their order", arguments: [PixelFormat.i420Planes, .yv12Planes])
    func threePlanes(pixelFormat: PixelFormat) async throws {
        let format = VideoFormat(pixelFormat: pixelFormat, size: Self.size, bytesPerLine: [4, 2, 2])
        let planes = [8, 2, 2].map { DequeuedBuffer.Plane(byteCount: $0) }
        let (frames, _) = try await play(format, lengths: [8, 8, 8], buffer(planes))
        #expect(frames.map(\.bytes) == [[0, 1, 2, 3, 4, 5, 6, 7, 100, 101, 200, 201]])
        #expect(frames.map(\.info.pixelFormat) == [pixelFormat == .i420Planes ? .i420 : .yv12])
    }

    @Test(
        "A missing or short plane makes an empty frame, which is dropped and counted",
        arguments: [
            [DequeuedBuffer.Plane(byteCount: 8)],
            [DequeuedBuffer.Plane(byteCount: 8), DequeuedBuffer.Plane(byteCount: 0)],
            [DequeuedBuffer.Plane(byteCount: 4), DequeuedBuffer.Plane(byteCount: 4)],
        ]
    )
    func shortPlanes(planes: [DequeuedBuffer.Plane]) async throws {
        let format = VideoFormat(pixelFormat: .nv12Planes, size: Self.size, bytesPerLine: [4, 4])
        let (frames, _) = try await play(format, lengths: [8, 8], buffer(planes))
        #expect(frames.map(\.bytes) == [[]])
    }
}
