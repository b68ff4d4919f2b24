import Capture

extension Scenario {
    /// Finding cameras and knowing them again.
    static let discovery = [
        Scenario("discovery", .vivid(nodeTypes: ["0x20001", "0x1"])) { report in
            let cameras = try await Cameras.all()
            let names = cameras.map(\.device.id.rawValue)
            await report.check("three nodes, of which the metadata node is no camera", cameras.count == 2, names)
            await report.check(
                "each camera is known by its place and its name",
                names == ["platform:vivid.0/vivid-000-vid-cap", "platform:vivid.0/vivid-001-vid-cap"],
                names
            )
            await report.check("the model is what the driver says", cameras.allSatisfy { $0.device.model == "vivid" })
            guard let camera = cameras.first else { return }
            let format = try camera.format(.yuyv, Cameras.medium)
            await report.check(
                "YUYV 640x480 at 25 frames a second is offered",
                format.frameInterval.framesPerSecond == 25,
                format
            )
            await report.check(
                "no format is listed twice",
                Set(camera.device.formats).count == camera.device.formats.count
            )
            await report.check(
                "the first format is the largest that reaches 25 frames a second",
                camera.device.formats.first?.size == Cameras.medium
                    && camera.device.formats.first?.frameInterval.framesPerSecond == 25,
                camera.device.formats.first
            )
        },

        Scenario("discovery.new-node", .vivid()) { report in
            let before = try await Cameras.only()
            try Machine.unloadAll()
            await report.check("an unplugged camera is not found", try await Cameras.all().isEmpty)
            try Machine.load(.vivid(firstNode: 7))
            await report.check("the camera comes back at another node", Machine.exists("/dev/video7"))
            let after = try await Cameras.only()
            await report.check("and is the same camera", after.device.id == before.device.id, after.device.id)
            let streaming = try await before.stream(2, try before.format(.yuyv, Cameras.small))
            await report.check("which the value of before opens too", streaming.frames.count == 2)
        },
    ]
}
