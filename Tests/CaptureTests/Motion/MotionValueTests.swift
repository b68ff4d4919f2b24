import CaptureTestSupport
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import Capture

struct MotionValueTests {
    @Test("A polygon holds its inside, also where it is hollow")
    func polygon() throws {
        let shape = [(0.0, 0.0), (1, 0), (1, 1), (0.5, 0.2), (0, 1)]
        let zone = try #require(PicturePolygon(corners: shape.map { .init(x: $0.0, y: $0.1) }))
        #expect(zone.contains(x: 0.1, y: 0.5))
        #expect(zone.contains(x: 0.9, y: 0.5))
        #expect(!zone.contains(x: 0.5, y: 0.5))
        #expect(zone.contains(x: 0.5, y: 0.1))
    }

    @Test("Corners that make no polygon in the picture are refused")
    func corners() {
        #expect(PicturePolygon(corners: [.init(x: 0, y: 0), .init(x: 1, y: 1)]) == nil)
        #expect(PicturePolygon(corners: [.init(x: 0, y: 0), .init(x: 1, y: 1), .init(x: 1.1, y: 0)]) == nil)
        #expect(PicturePolygon(corners: [.init(x: 0, y: .nan), .init(x: 1, y: 1), .init(x: 1, y: 0)]) == nil)
        let many = [PicturePolygon.Point](repeating: .init(x: 0, y: 0), count: 101)
        #expect(PicturePolygon(corners: many) == nil)
    }

    @Test("A picture has as many samples as its size says")
    func pictureSize() {
        #expect(GreyPicture(size: PixelSize(width: 2, height: 2), samples: [1, 2, 3]) == nil)
        #expect(GreyPicture(size: PixelSize(width: 0, height: 0), samples: []) == nil)
        #expect(GreyPicture(size: PixelSize(width: -2, height: -2), samples: [1, 2, 3, 4]) == nil)
        #expect(GreyPicture(size: PixelSize(width: .max, height: 2), samples: [1]) == nil)
    }

    @Test("Blur lowers sharpness, and an even surface has none")
    func sharpness() throws {
        let size = PixelSize(width: 16, height: 16)
        let whole = PixelArea(columns: 0..<16, rows: 0..<16)
        let sharp = (0..<256).map { UInt8($0 % 4 < 2 ? 0 : 200) }
        let blurred = sharp.indices.map { index in
            UInt8((Int(sharp[max(0, index - 1)]) + Int(sharp[index]) + Int(sharp[min(255, index + 1)])) / 3)
        }
        let values = try [sharp, blurred, [UInt8](repeating: 9, count: 256)].map {
            try #require(GreyPicture(size: size, samples: $0)).sharpness(in: whole)
        }
        #expect(values[0] > values[1] && values[1] > 0 && values[2] == 0)
        let outside = PixelArea(columns: 0..<1, rows: 15..<16)
        #expect(try #require(GreyPicture(size: size, samples: sharp)).sharpness(in: outside) == 0)
    }

    /// Shows a block in every other picture.
    private final class BlinkingDecoder: GreyDecoder {
        let scene = Mutex(Watcher())

        func greyPicture(of frame: Frame) -> GreyPicture? {
            scene.withLock { watcher in
                watcher.number += 1
                let number = Int(watcher.number)
                let block = Scene.Block(column: number * 4 % 60, row: 20)
                return watcher.scene.picture(20..<30 ~= number ? [block] : [])
            }
        }
    }

    @Test("A monitor looks at the newest frame as often as it is set to, and tells what the detector tells")
    func monitor() async throws {
        let clock = SimulatedClock(participants: 1)
        let buffer = try #require(MediaBuffer([1], budget: MediaBudget(limit: 1000)))
        let monitor = MotionMonitor(MotionSettings(), decoder: BlinkingDecoder(), clock: clock) {
            Frame(info: frameInfo(0, clock.now), buffer: buffer)
        }
        let start = clock.now
        let events = try await withThrowingTaskGroup(of: [MotionEvent].self) { group in
            group.addTask {
                defer { clock.setParticipants(0) }
                var events: [MotionEvent] = []
                for try await event in monitor {
                    events.append(event)
                    if events.count == 3 { break }
                }
                return events
            }
            await clock.advance(by: .seconds(20))
            return try await group.next() ?? []
        }
        try #require(events.count == 3)
        guard case .began(let sighting) = events[0], case .ended(let summary) = events[2] else {
            Issue.record("told \(events)")
            return
        }
        // Picture 20 is the 20th, and they begin at once: nineteen intervals of a fifth of a second.
        #expect(sighting.time.duration(since: start) == .milliseconds(19 * 200))
        #expect(summary.end.duration(since: start) == .milliseconds(28 * 200))
    }
}
