import Capture

extension Scenario {
    /// The camera goes while it streams, and comes back.
    static let unplugging = [
        Scenario("unplugging.disconnect") { report in
            let camera = try Cameras.only()
            let format = try camera.format(.yuyv, Cameras.small)
            let streaming = try await camera.stream(
                3,
                format,
                then: {
                    try Machine.setControl("disconnect")
                },
                andAfterwards: 1000
            )
            await report.check(
                "a device that is gone while its node stays is lost",
                streaming.failure?.code == .deviceLost,
                streaming.failure
            )
            // The driver connects the device again when the last program has closed the node.
            let next = await camera.failureToStart(format)
            await report.check("it was closed at once, and streams again", next == nil, next)
        },

        Scenario("unplugging.unbind") { report in
            let camera = try Cameras.only()
            let format = try camera.format(.yuyv, Cameras.small)
            let streaming = try await camera.stream(
                3,
                format,
                then: {
                    try pullThePlug()
                },
                andAfterwards: 1000
            )
            await report.check(
                "a camera that is pulled out while it streams is lost",
                streaming.failure?.code == .deviceLost,
                streaming.failure
            )
            await report.check("its node goes at once, as nobody holds it open", !Machine.exists("/dev/video0"))
            try Machine.unloadAll()
            try Machine.load(.vivid(firstNode: 3))
            let next = await camera.failureToStart(format)
            await report.check("it streams again when it is back, at another node", next == nil, next)
        },

        Scenario("unplugging.session") { report in
            let camera = try Cameras.only()
            try await Studio.open(camera, try camera.format(.yuyv, Cameras.small)) { studio in
                try pullThePlug()
                let failure = try await studio.failure()
                await report.check("the session fails with what happened", failure.code == .deviceLost, failure)
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
                try Machine.unloadAll()
                try Machine.load(.vivid(firstNode: 3))
                try await studio.session.start()
                let result = try await studio.shoot(4)
                await report.check("started again, it takes shots", result.still.file.byteCount > 0)
            }
        },
    ]

    /// As near to pulling the plug as a platform device comes: the device goes, and its nodes with it.
    private static func pullThePlug() throws {
        try Machine.write("vivid.0".utf8, to: "/sys/bus/platform/drivers/vivid/unbind")
    }
}
