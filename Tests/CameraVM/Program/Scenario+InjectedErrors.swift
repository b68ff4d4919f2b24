import Capture

extension Scenario {
    /// Errors that the driver makes when it is told to (vivid.rst, "Error Injection Controls").
    static let injectedErrors = [
        Scenario("errors.fatal") { report in
            let camera = try await Cameras.only()
            let streaming = try await camera.stream(
                3,
                try camera.format(.yuyv, Cameras.small),
                then: {
                    try Machine.setControl("inject_fatal_streaming_error")
                },
                andAfterwards: 10
            )
            await report.check(
                "a fatal streaming error (EIO) is survived by streaming anew",
                streaming.failure == nil && streaming.frames.count >= 13,
                streaming.failure
            )
            await report.check(
                "and the numbers of the frames go on",
                streaming.isNumbered,
                streaming.frames.map(\.info.sequence)
            )
        },

        Scenario("errors.damaged-frame") { report in
            let camera = try await Cameras.only()
            let format = try camera.format(.yuyv, Cameras.small)
            let streaming = try await camera.stream(
                3,
                format,
                then: {
                    try Machine.setControl("inject_v4l2_buf_flag_error")
                },
                andAfterwards: 10
            )
            await report.check(
                "the damaged frame, and no other, is marked",
                streaming.frames.filter(\.info.isDamaged).count == 1
            )
            try await Studio.open(camera, format) { studio in
                try Machine.setControl("inject_v4l2_buf_flag_error")
                try await Machine.wait(for: "a session drops and counts it") {
                    await studio.session.frameCounts?.dropped[.damaged] == 1
                }
            }
        },

        Scenario("errors.queue") { report in
            let camera = try await Cameras.only()
            let streaming = try await camera.stream(
                3,
                try camera.format(.yuyv, Cameras.small),
                then: {
                    try Machine.setControl("inject_vidioc_qbuf_error")
                },
                andAfterwards: 10
            )
            await report.check(
                "a buffer that the driver refuses (QBUF: EINVAL) is survived",
                streaming.failure == nil && streaming.frames.count >= 13,
                streaming.failure
            )
        },

        failureToStart("errors.request-buffers", "inject_vidioc_reqbufs_error"),
        failureToStart("errors.stream-on", "inject_vidioc_streamon_error"),

        Scenario("errors.dropped-frames") { report in
            let camera = try await Cameras.only()
            let format = try camera.format(.yuyv, Cameras.small)
            try Machine.setControl("percentage_of_dropped_buffers", to: 30)
            let streaming = try await camera.stream(60, format)
            await report.check(
                "dropped frames are gaps in the numbers",
                5...500 ~= streaming.missingCount,
                streaming.missingCount
            )
            try await Studio.open(camera, format) { studio in
                try await Machine.wait(for: "a session counts them") {
                    await studio.session.frameCounts?.dropped[.deviceGap] ?? 0 > 0
                }
            }
        },

        Scenario("errors.wrapped-sequence") { report in
            try Machine.setControl("wrap_sequence_number")
            let camera = try await Cameras.only()
            try await Studio.open(camera, try camera.format(.yuyv, Cameras.small)) { studio in
                // The driver begins 128 frames before the wrap.
                func seenCount() async -> Int {
                    let counts = await studio.session.frameCounts ?? FrameCounts()
                    return counts.kept + counts.dropped.values.reduce(0, +)
                }
                try await Machine.wait(for: "the wrap") { await seenCount() > 130 }
                let count = await seenCount()
                await report.check("numbers that wrap at 2^32 are no gap", count < 1000, count)
            }
        },

        Scenario("errors.wrapped-timestamp") { report in
            try Machine.setControl("wrap_timestamp")
            let camera = try await Cameras.only()
            // The driver begins 16 s before the wrap; two frames a second are enough to see it.
            let slowest = camera.device.formats.filter { $0.pixelFormat == .grey }
                .max { $0.frameInterval.duration < $1.frameInterval.duration }
            guard let slowest else { return await report.check("there is a slow format", false) }
            let count = Int(slowest.frameInterval.framesPerSecond * 18)
            let streaming = try await camera.stream(count, slowest)
            await report.check("the stream goes on beyond the wrap", streaming.frames.count == count, streaming.failure)
            await report.check(
                "times that cannot be are replaced by the time of arrival",
                streaming.frames.allSatisfy {
                    .zero ... .seconds(5) ~= $0.info.clock.monotonic.duration(since: $0.info.timestamp)
                }
            )
            await report.check("and rise", streaming.intervals.allSatisfy { $0 > .zero }, streaming.intervals)
        },
    ]

    /// The driver refuses one call on the way to the first frame.
    private static func failureToStart(_ name: String, _ control: String) -> Scenario {
        Scenario(name) { report in
            let camera = try await Cameras.only()
            let format = try camera.format(.yuyv, Cameras.small)
            try Machine.setControl(control)
            let failure = await camera.failureToStart(format)
            await report.check(
                "the failure is one of the device, worth another try",
                failure?.code == .deviceFailed,
                failure
            )
            let next = await camera.failureToStart(format)
            await report.check("the next try delivers", next == nil, next)
        }
    }
}
