import Capture

extension Scenario {
    /// Two programs and one camera.
    static let sharing = [
        Scenario("sharing") { report in
            let camera = try Cameras.only()
            let format = try camera.format(.yuyv, Cameras.small)
            let other = try Machine.start("v4l2-ctl", ["--device", "/dev/video0", "--stream-mmap"])
            defer { other.end() }
            // Nothing tells that it streams, except that the format cannot be changed any more.
            try await Machine.wait(for: "the other program streams") {
                (try? Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--set-fmt-video", "width=640"])) == nil
            }
            let failure = await camera.failureToStart(format)
            await report.check(
                "a camera that another program streams from is busy, and worth another try later",
                failure?.code == .deviceBusy && failure?.retry == .later,
                failure
            )
            await report.check("it is found all the same", Cameras.all().count == 1)
            other.end()
            let next = await camera.failureToStart(format)
            await report.check("it is ours when the other has ended", next == nil, next)
        }
    ]
}
