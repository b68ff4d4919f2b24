import Capture
import TestSupport
import Testing

@testable import MediaEncoding

struct CameraAddressTests {
    @Test(
        "An address is read, and people see it without user and password",
        arguments: [
            ("rtsp://10.0.0.5/stream1", "rtsp://10.0.0.5/stream1"),
            ("rtsp://admin:secret@10.0.0.5:554/h264?channel=1", "rtsp://10.0.0.5:554/h264?channel=1"),
            ("HTTP://u:p%40x@camera.local/video.mjpg", "http://camera.local/video.mjpg"),
            ("https://a@b@camera/x@y", "https://camera/x@y"),
            ("/var/lib/recording.mp4", "/var/lib/recording.mp4"),
        ]
    )
    func read(text: String, shown: String) throws {
        let address = try CameraAddress(text)
        #expect(address.description == shown)
        #expect(NetworkCamera(address, clock: HurriedClock()).device.id.rawValue == "network:\(shown)")
    }

    @Test(
        "What is no camera is refused",
        arguments: [
            "", "camera", "ftp://host/x", "file:///etc/passwd", "concat:/a|/b", "rtsp://", "http://user@/x",
            "rtsp:/host",
            "http://a b/", "pipe:0", "rtmp://host/x", String(repeating: "/", count: 2049), "http://host/\n",
        ]
    )
    func refused(text: String) {
        #expect(throws: CaptureError.self) { try CameraAddress(text) }
    }
}

struct NetworkTimeTests {
    @Test("Waits grow twofold to half a minute, end at last, and begin anew after frames")
    func delays() {
        var delays = ReconnectionDelays()
        var waits: [Duration] = []
        while let delay = delays.next() { waits.append(delay) }
        #expect(waits.count == 12)
        #expect(waits.prefix(4) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
        #expect(waits.last == .seconds(30))
        delays.reset()
        #expect(delays.next() == .milliseconds(500))
    }

    @Test("Frames keep the camera's distances whatever the network delays, and never go back")
    func clock() {
        checkProperty("presentation clock", cases: 200, maximumSize: 60) { generator, size in
            var clock = PresentationClock()
            let start = Int64(generator.below(1_000_000)) * 1_000_000
            let origin = Duration.milliseconds(generator.below(1_000_000))
            var last = MonotonicTime(nanoseconds: .min)
            var previous: (presentation: Duration, time: MonotonicTime)?
            for number in 0..<size {
                let presentation = origin + .milliseconds(number * 40)
                // The first frame takes the shortest way, so that it is the anchor.
                let delay = number == 0 ? 0 : generator.below(300)
                let arrival = MonotonicTime(nanoseconds: start + Int64(number * 40 + delay) * 1_000_000)
                let time = clock.time(of: presentation, arrivedAt: arrival)
                if time <= last { return "frame \(number) goes back" }
                if time > arrival { return "frame \(number) is from the future" }
                if let previous, time.duration(since: previous.time) != .milliseconds(40) {
                    return "frame \(number) is \(time.duration(since: previous.time)) after the one before"
                }
                previous = (presentation, time)
                last = time
            }
            return nil
        }
    }

    @Test("A stream that begins anew is joined to its arrival again; one without times goes by arrival")
    func restart() {
        var clock = PresentationClock()
        let arrivals = [0, 40, 80, 5000, 5040].map { MonotonicTime(nanoseconds: $0 * 1_000_000) }
        let told: [Duration?] = [.seconds(9), .milliseconds(9040), nil, .zero, .milliseconds(40)]
        let times = zip(told, arrivals).map { clock.time(of: $0.0, arrivedAt: $0.1) }
        #expect(times == arrivals)
        let late = clock.time(of: nil, arrivedAt: MonotonicTime(nanoseconds: 1))
        #expect(late == MonotonicTime(nanoseconds: 5_041_000_000))
    }
}
