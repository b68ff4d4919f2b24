import Capture
import CaptureLinux

extension Scenario {
    /// Sound from the loopback sound card.
    static let microphone = [
        Scenario("microphone.tone", .loopback) { report in
            let microphones = LinuxMicrophones(clock: Cameras.clock).microphones()
            let names = microphones.map(\.device.id.rawValue)
            await report.check(
                "the card's two devices are known by its place and its name",
                names == ["snd_aloop.0/Loopback", "snd_aloop.0,1/Loopback"],
                names
            )
            guard let microphone = microphones.first else { return }
            let tone = try Tone()
            defer { tone.end() }
            let recording = try await microphone.record(.seconds(2))
            await report.check("sound arrives", recording.failure == nil, recording.failure)
            let peak = recording.runs.map(\.peak).max() ?? 0
            await report.check("as loud as it is played", 11_000...13_000 ~= peak, peak)
            let worst = recording.seams.map(\.magnitude).max() ?? .seconds(99)
            // The sound card's own clock is a timer of the emulated kernel, which may be late.
            await report.check("its times follow on one another", worst <= .milliseconds(60), worst)
            let ages = recording.runs.map { run in
                run.arrival.duration(
                    since: run.timestamp.advanced(by: Recording.format.duration(ofFrames: run.frameCount))
                )
            }
            await report.check(
                "it is timed before it is in our hands, the quickest run by less than 200 ms",
                ages.allSatisfy { $0 >= .milliseconds(-60) } && ages.min().map { $0 < .milliseconds(200) } == true,
                ages
            )
            if let first = recording.runs.first, let last = recording.runs.last {
                let count = recording.runs.dropLast().reduce(0) { $0 + $1.frameCount }
                let drift = last.timestamp.duration(since: first.timestamp) - Recording.format.duration(ofFrames: count)
                await report.check("none is missing and none too much", drift.magnitude <= .milliseconds(60), drift)
            }
        },

        Scenario("microphone.unplugging", .loopback) { report in
            guard let microphone = LinuxMicrophones(clock: Cameras.clock).microphones().first else {
                return await report.check("there is a microphone", false)
            }
            let clock = ContinuousClock()
            var away = Duration.zero
            let recording = try await microphone.record(
                .milliseconds(500),
                then: {
                    // The driver waits until the card is closed.
                    try plug("unbind")
                    away = try clock.measure { try plug("bind") }
                },
                andAfterwards: .milliseconds(500)
            )
            await report.check("it comes back by itself", recording.failure == nil, recording.failure)
            let gap = recording.seams.max() ?? .zero
            await report.check(
                "and the time without sound is a gap in the times",
                away ... .seconds(40) ~= gap,
                "\(gap), away for \(away)"
            )
            await report.note("sound again \(gap) after the card was pulled out")
        },
    ]

    private static func plug(_ verb: String) throws {
        try Machine.write("snd_aloop.0".utf8, to: "/sys/bus/platform/drivers/snd_aloop/\(verb)")
    }
}
