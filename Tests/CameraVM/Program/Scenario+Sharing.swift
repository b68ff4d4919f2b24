import Capture

extension Scenario {
    /// Two programs and one camera.
    static let sharing = [
        Scenario("sharing") { report in
            let camera = try await Cameras.only()
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
                failure?.code == .deviceBusy,
                failure
            )
            await report.check("it is found all the same", try await Cameras.all().count == 1)
            other.end()
            let next = await camera.failureToStart(format)
            await report.check("it is ours when the other has ended", next == nil, next)
        },

        Scenario("sharing.controls") { report in
            let camera = try await Cameras.only()
            let streaming = try await camera.stream(
                3,
                try camera.format(.yuyv, Cameras.small),
                then: { try Machine.setControl("brightness", to: 7) },
                andAfterwards: 3
            )
            await report.check(
                "another program that turns a control does not disturb the stream",
                streaming.frames.count >= 6 && streaming.failure == nil,
                streaming.failure
            )
            let told = try Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--get-ctrl", "brightness"])
            await report.check("and what it set stays", told == "brightness: 7\n", told)
        },
    ]
}
