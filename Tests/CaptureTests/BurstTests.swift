import PhotoModel
import Synchronization
import Testing

@testable import Capture

struct BurstTests {
    @Test("A burst takes every frame of the camera, in order and once, whatever the number of shots at once")
    func everyFrame() async throws {
        try await Bench.open {
            $0.maximumInFlight = 3
        } body: { bench in
            let shots = try await burst(of: 30, stride: 1, with: bench)
            let times = bench.recorder.notes.withLock { $0.stills }.sorted { $0.key < $1.key }.map(\.value)
            #expect(shots == 30 && times.count == 30)
            let first = try #require(times.first)
            #expect(first.duration(since: at(0)).magnitude <= .milliseconds(17), "it begins with its moment's frame")
            for (earlier, later) in zip(times, times.dropFirst()) {
                #expect(later.duration(since: earlier) <= .milliseconds(34), "a frame was left out")
            }
            #expect(await bench.session.activity == CaptureActivity())
        }
    }

    @Test("A burst with a stride takes every so many-th frame")
    func stride() async throws {
        try await Bench.open { bench in
            _ = try await burst(of: 5, stride: 3, with: bench)
            let times = bench.recorder.notes.withLock { $0.stills }.sorted { $0.key < $1.key }.map(\.value)
            for (earlier, later) in zip(times, times.dropFirst()) {
                #expect(99...101 ~= later.duration(since: earlier) / .milliseconds(1))
            }
        }
    }

    @Test("A burst whose camera goes away ends there; what it has stays")
    func cameraLost() async throws {
        try await Bench.open { bench in
            var count = 0
            for await _ in try await bench.session.burst(count: 100, from: at(0)) {
                count += 1
                bench.camera.unplug()
            }
            #expect(count == 1)
        }
    }

    @Test("A burst of nothing is refused", arguments: [(0, 1), (1001, 1), (1, 0)])
    func nothing(count: Int, stride: Int) async throws {
        try await Bench.open { bench in
            let error = await #expect(throws: CaptureError.self) {
                _ = try await bench.session.burst(count: count, stride: stride, from: at(0))
            }
            #expect(error?.code == .unsupported)
        }
    }

    /// Takes a burst while frames come, and waits for its shots.
    private func burst(of count: Int, stride: Int, with bench: Bench) async throws -> Int {
        let frames = try await bench.session.burst(count: count, stride: stride, from: at(0))
        bench.camera.deliver(33...Int64(count * stride * 34 + 100))
        var shots: [PhotoCapture] = []
        for await frame in frames {
            await bench.session.waitUntilFewer(than: bench.session.configuration.photoOutput.maximumInFlight)
            let settings = bench.settings(UInt128(shots.count + 1), at: 0, isLive: false)
            shots.append(try await bench.session.capturePhoto(with: settings, of: frame))
        }
        for shot in shots { _ = try await shot.result() }
        return shots.count
    }
}
