import Capture
import PhotoModel

extension Scenario {
    /// The camera goes while it streams, and comes back.
    static let unplugging = [
        Scenario("unplugging.disconnect") { report in
            let camera = try await Cameras.only()
            // The driver connects the device again when the last program has closed the node.
            let streaming = try await camera.stream(
                3,
                try camera.format(.yuyv, Cameras.small),
                then: { try Machine.setControl("disconnect") },
                andAfterwards: 10
            )
            await report.check(
                "a device that is gone while its node stays is closed at once, and streams again",
                streaming.failure == nil && streaming.frames.count >= 13,
                streaming.failure
            )
            await report.check("the numbers of the frames go on", streaming.isNumbered)
        },

        Scenario("unplugging.one-of-two", .vivid(nodeTypes: ["0x1", "0x1"])) { report in
            let cameras = try await Cameras.all()
            guard let unlucky = cameras.first, let other = cameras.last, cameras.count == 2 else {
                return await report.check("there are two cameras", false, cameras.map(\.device.id.rawValue))
            }
            let format = try unlucky.format(.yuyv, Cameras.small)
            async let interrupted = unlucky.stream(
                3,
                format,
                then: { try Machine.setControl("disconnect") },
                andAfterwards: 10
            )
            async let undisturbed = other.stream(40, format)
            let (first, second) = try await (interrupted, undisturbed)
            await report.check(
                "of two cameras at once, the one that goes streams again",
                first.failure == nil && first.frames.count >= 13 && first.isNumbered,
                first.failure
            )
            // An emulated processor misses frames of two cameras by itself; one that stopped would miss far more.
            await report.check(
                "and the other one does not notice",
                second.failure == nil && second.frames.count == 40 && second.missingCount < 40,
                "\(second.frames.count), \(second.missingCount) missing, \(String(describing: second.failure))"
            )
        },

        Scenario("unplugging.unbind") { report in
            let camera = try await Cameras.only()
            let format = try camera.format(.yuyv, Cameras.small)
            let streaming = try await camera.stream(
                3,
                format,
                then: {
                    try pullThePlug()
                    try await Machine.wait(for: "the node to go") { !Machine.exists("/dev/video0") }
                    try Machine.unloadAll()
                    try Machine.load(.vivid(firstNode: 3))
                },
                andAfterwards: 10
            )
            await report.check(
                "pulled out while it streams, it streams again when it is back, at another node",
                streaming.failure == nil && streaming.frames.count >= 13,
                streaming.failure
            )
            await report.check("in the format of before", streaming.frames.last?.info.size == Cameras.small)
            guard let gap = streaming.intervals.max() else { return }
            let missed = Int((gap / streaming.format.frameInterval.duration).rounded()) - 1
            await report.check(
                "the numbers leave out as many frames as were missed",
                streaming.isNumbered && streaming.missingCount >= missed,
                "\(streaming.missingCount) of \(missed)"
            )
        },

        Scenario("unplugging.signal", .vivid(input: "0x3")) { report in
            let camera = try await Cameras.only()
            let format = try camera.format(.yuyv, PixelSize(width: 640, height: 480))
            // The signal has other timings; a converter of HDMI then stands still until it is told to take them.
            let streaming = try await camera.stream(
                3,
                format,
                then: {
                    try Machine.setControl("dv_timings", to: 4)
                    try Machine.setControl("dv_timings_signal_mode", to: 4)
                },
                andAfterwards: 10
            )
            await report.check(
                "a signal of another size is taken, and frames go on",
                streaming.failure == nil && streaming.frames.count >= 13 && streaming.isNumbered,
                "\(streaming.frames.map(\.info.sequence)), \(String(describing: streaming.failure))"
            )
            let set = try Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--get-dv-timings"])
            let seen = try Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--query-dv-timings"])
            func size(_ text: String) -> [Substring] {
                text.split(separator: "\n").filter { $0.contains("Active") }
            }
            await report.check("with its timings", size(set) == size(seen) && !size(set).isEmpty, [set, seen])
        },

        Scenario("unplugging.session") { report in
            let camera = try await Cameras.only()
            try await Studio.open(camera, try camera.format(.yuyv, Cameras.small)) { studio in
                try pullThePlug()
                let reason = try await studio.interruption()
                await report.check("the session tells what happened", reason.code == .deviceLost, reason)
                do {
                    _ = try await studio.shoot(3)
                    await report.check("no shot is taken", false)
                } catch {
                    await report.check(
                        "no shot is taken, for the same reason",
                        (error as? CaptureError)?.code == .deviceLost,
                        error
                    )
                }
                try await Machine.wait(for: "the node to go") { !Machine.exists("/dev/video0") }
                try Machine.unloadAll()
                try Machine.load(.vivid(firstNode: 3))
                let plugged = ContinuousClock.now
                await studio.untilRunning()
                let delay = ContinuousClock.now - plugged
                await report.check("it runs again by itself, soon", delay < .seconds(10), delay)
                await report.note("frames again \(delay) after the node came back")
                let result = try await studio.shoot(4)
                await report.check("and takes shots", result.still.file.byteCount > 0)
            }
        },
    ]

    /// As near to pulling the plug as a platform device comes: the device goes, and its nodes with it.
    private static func pullThePlug() throws {
        try Machine.write("vivid.0".utf8, to: "/sys/bus/platform/drivers/vivid/unbind")
    }
}
