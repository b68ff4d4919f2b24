import PhotoModel
import Synchronization
import SystemPackage
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
            #expect(times.first == at(0), "a burst begins with the frame of its moment")
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

    @Test("A burst whose camera goes away keeps what it has and says why it ended")
    func cameraLost() async throws {
        try await Bench.open { bench in
            let session = bench.session
            let burst = Task {
                try await session.captureBurst(count: 100) { index in
                    var settings = CapturePhotoSettings(
                        uniqueID: AssetID(rawValue: UInt128(index + 1)),
                        folder: "/nowhere"
                    )
                    settings.requestedTime = at(0)
                    return settings
                } onShot: { _ in
                }
            }
            while bench.recorder.notes.withLock(\.stills.isEmpty) { await Task.yield() }
            bench.camera.unplug()
            let error = await #expect(throws: CaptureError.self) { try await burst.value }
            #expect(
                error.map { [.noFrame, .deviceLost, .notRunning].contains($0.code) } == true,
                "\(String(describing: error))"
            )
        }
    }

    @Test("A burst of nothing is refused", arguments: [(0, 1), (1001, 1), (1, 0)])
    func nothing(count: Int, stride: Int) async throws {
        try await Bench.open { bench in
            let error = await #expect(throws: CaptureError.self) {
                try await bench.session.captureBurst(count: count, stride: stride) { _ in
                    CapturePhotoSettings(uniqueID: AssetID(rawValue: 1), folder: "/nowhere")
                } onShot: { _ in
                }
            }
            #expect(error?.code == .unsupported)
        }
    }

    /// Takes a burst while frames come, and waits for its shots.
    private func burst(of count: Int, stride: Int, with bench: Bench) async throws -> Int {
        let (shots, sink) = AsyncStream<PhotoCapture>.makeStream()
        return try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                defer { sink.finish() }
                try await bench.session.captureBurst(count: count, stride: stride) { index in
                    bench.settings(UInt128(index + 1), at: 0, isLive: false)
                } onShot: {
                    sink.yield($0)
                }
                return 0
            }
            bench.camera.deliver(33...Int64(count * stride * 34 + 100))
            for await shot in shots {
                group.addTask {
                    _ = try await shot.result()
                    return 1
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
