import PhotoModel
import TestSupport
import Testing

@testable import Capture

struct MotionDetectorTests {
    private static let event = ["began", "chosen", "ended"]

    @Test("A block that crosses the picture is one event, from its first picture to its last, where the block is")
    func crossing() throws {
        checkProperty("crossing block", cases: 20, maximumSize: 12) { generator, size in
            var watcher = Watcher(seed: generator.next())
            watcher.scene.noise = generator.below(size + 1)
            watcher.wait(pictures: 10)
            let start = watcher.time
            let row = generator.below(40)
            watcher.cross(row: row)
            watcher.wait(pictures: 15)
            guard watcher.kinds == Self.event else { return "told \(watcher.kinds)" }
            guard case .began(let first) = watcher.events[0], case .ended(let summary) = watcher.events[2] else {
                return "told \(watcher.events)"
            }
            if first.time != start || summary.start != start { return "began at another picture" }
            // Where the block has been, pixels of the wall are the background's again at once.
            if summary.end != start.advanced(by: .milliseconds(16 * 200)) { return "ended at \(summary.end)" }
            let (rows, columns) = (first.area.rows, first.area.columns)
            if abs(rows.lowerBound - row) > 2 || abs(columns.upperBound - 12) > 2 { return "seen at \(first.area)" }
            return summary.largestShare > 0.02 && summary.largestShare < 0.06 ? nil : "share \(summary.largestShare)"
        }
    }

    @Test("Noise is no motion, however long it lasts")
    func noise() {
        checkProperty("noise", cases: 20, maximumSize: 24) { generator, size in
            var watcher = Watcher(seed: generator.next())
            watcher.scene.noise = size
            watcher.wait(pictures: 200)
            return watcher.events.isEmpty ? nil : "told \(watcher.kinds)"
        }
    }

    @Test("A light that is switched is told as that and no motion, and motion after it is seen", arguments: [60, -50])
    func lighting(change: Int) {
        var watcher = Watcher()
        watcher.wait(pictures: 10)
        watcher.scene.light = change
        let time = watcher.time
        watcher.wait(pictures: 20)
        #expect(watcher.events == [.lightingChanged(time)])
        watcher.cross()
        watcher.wait(pictures: 15)
        #expect(watcher.kinds == ["lighting"] + Self.event)
    }

    @Test("A light that is switched during an event ends it")
    func lightingDuringEvent() {
        var watcher = Watcher()
        watcher.wait(pictures: 10)
        for column in 0..<3 { watcher.show([Scene.Block(column: column * 6, row: 20)]) }
        watcher.scene.light = 70
        watcher.wait(pictures: 20)
        #expect(watcher.kinds == ["began", "chosen", "ended", "lighting"])
    }

    @Test("Light that grows slowly is learned")
    func dawn() {
        var watcher = Watcher()
        watcher.wait(pictures: 10)
        for step in 0..<600 {
            watcher.scene.light = step / 10
            watcher.wait(pictures: 1)
        }
        #expect(watcher.events.isEmpty)
    }

    @Test("What happens in a mask, or outside all zones, is not seen; the same elsewhere is")
    func zones() throws {
        let upper = try #require(
            PicturePolygon(corners: [.init(x: 0, y: 0), .init(x: 1, y: 0), .init(x: 1, y: 0.5), .init(x: 0, y: 0.5)])
        )
        var masked = MotionSettings()
        masked.masks = [upper]
        var zoned = MotionSettings()
        zoned.zones = [upper]
        for (settings, rowSeen, rowUnseen) in [(masked, 40, 8), (zoned, 8, 40)] {
            var watcher = Watcher(settings)
            watcher.wait(pictures: 10)
            watcher.cross(row: rowUnseen)
            watcher.wait(pictures: 15)
            #expect(watcher.events.isEmpty)
            watcher.cross(row: rowSeen)
            watcher.wait(pictures: 15)
            #expect(watcher.kinds == Self.event)
        }
    }

    @Test("A thing that is put down is motion for ten seconds, then background; carrying it away is another event")
    func staticObject() throws {
        var watcher = Watcher()
        watcher.wait(pictures: 10)
        let block = Scene.Block(column: 30, row: 20)
        let start = watcher.time
        for _ in 0..<120 { watcher.show([block]) }
        #expect(watcher.kinds == Self.event)
        guard case .ended(let summary) = watcher.events.last else { return }
        let length = summary.end.duration(since: start)
        #expect(length > .seconds(9) && length < .seconds(11))
        watcher.wait(pictures: 120)
        #expect(watcher.kinds == Self.event + Self.event)
    }

    @Test("One picture with something in it is no event")
    func flash() {
        var watcher = Watcher()
        watcher.wait(pictures: 10)
        watcher.show([Scene.Block(column: 30, row: 20)])
        watcher.wait(pictures: 20)
        #expect(watcher.events.isEmpty)
    }

    @Test("Motion that pauses for less than the quiet time is one event; for more, two")
    func pauses() {
        for (pause, count) in [(6, 1), (14, 2)] {
            var watcher = Watcher()
            watcher.wait(pictures: 10)
            watcher.cross()
            watcher.wait(pictures: pause)
            watcher.cross()
            watcher.wait(pictures: 15)
            #expect(watcher.kinds.count { $0 == "began" } == count)
            #expect(watcher.kinds.count { $0 == "ended" } == count)
        }
    }

    @Test("Ending needs less motion than beginning: what is between keeps an event going and begins none")
    func hysteresis() {
        var settings = MotionSettings()
        settings.beginningArea = 0.02
        settings.endingArea = 0.005
        // A block of 8 pixels a side covers 1.3 % of the picture, one of 12 3 %.
        let small = { (column: Int) in [Scene.Block(column: column, row: 20, side: 8)] }
        var watcher = Watcher(settings)
        watcher.wait(pictures: 10)
        for column in 0..<30 { watcher.show(small(column * 2)) }
        #expect(watcher.events.isEmpty)
        for column in 0..<3 { watcher.show([Scene.Block(column: column * 4, row: 20)]) }
        for column in 0..<30 { watcher.show(small(column * 2)) }
        #expect(watcher.kinds == ["began", "chosen"])
        watcher.wait(pictures: 15)
        #expect(watcher.kinds == Self.event)
    }

    @Test("Motion without end is told in events of a minute")
    func endless() {
        var watcher = Watcher()
        watcher.wait(pictures: 10)
        for number in 0..<900 { watcher.show([Scene.Block(column: number * 5 % 60, row: 20)]) }
        #expect(watcher.kinds.count { $0 == "ended" } == 2)
        #expect(watcher.kinds.last == "chosen")
        #expect(watcher.detector.finish().count == 1)
    }

    @Test("The sharpest picture of an event's beginning is chosen, and told within its time")
    func sharpest() throws {
        checkProperty("sharpest", cases: 12, maximumSize: 4) { generator, _ in
            var settings = MotionSettings()
            settings.choice = .seconds(1)
            var watcher = Watcher(settings, seed: generator.next())
            watcher.scene.noise = 2
            watcher.wait(pictures: 10)
            let best = generator.below(5)
            var wanted = watcher.time
            for number in 0..<8 {
                if number == best { wanted = watcher.time }
                watcher.show([Scene.Block(column: number * 6, row: 20, isStriped: number == best)])
            }
            guard watcher.events.count >= 2, case .chosen(let chosen) = watcher.events[1] else {
                return "told \(watcher.kinds)"
            }
            return chosen.time == wanted ? nil : "chose \(chosen.time), not \(wanted)"
        }
    }

    @Test("Pictures of another size, late ones and a long gap begin anew and tell nothing")
    func resets() {
        var watcher = Watcher()
        watcher.wait(pictures: 10)
        watcher.scene.size = PixelSize(width: 40, height: 30)
        watcher.wait(pictures: 10)
        watcher.number -= 5
        watcher.show([Scene.Block(column: 10, row: 10)])
        watcher.show([Scene.Block(column: 10, row: 10)])
        watcher.number += 500
        for _ in 0..<10 { watcher.show([Scene.Block(column: 10, row: 10)]) }
        #expect(watcher.events.isEmpty)
    }

    @Test("Whatever pictures come, events keep their order and the detector does not fail")
    func law() {
        checkProperty("order of motion events", cases: 60, maximumSize: 30) { generator, size in
            var settings = MotionSettings()
            settings.minimumPictureCount = generator.below(4)
            settings.contrast = 1 + generator.below(60)
            settings.lightingArea = Double(generator.below(101)) / 100
            var detector = MotionDetector(settings)
            let pixels = PixelSize(width: 1 + generator.below(size), height: 1 + generator.below(size))
            var events: [MotionEvent] = []
            for number in 0..<60 {
                let samples =
                    generator.oneIn(3)
                    ? generator.bytes(pixels.width * pixels.height)
                    : [UInt8](repeating: UInt8(generator.below(256)), count: pixels.width * pixels.height)
                guard let picture = GreyPicture(size: pixels, samples: samples) else { return "no picture" }
                events += detector.observe(picture, at: at(Int64(number) * 200))
            }
            events += detector.finish()
            return Self.disorder(in: events)
        }
    }

    private static func disorder(in events: [MotionEvent]) -> String? {
        var stage = 0
        for event in events {
            switch (event, stage) {
            case (.began, 0), (.chosen, 1): stage += 1
            case (.ended(let summary), 2):
                if summary.end < summary.start { return "an event that ends before it begins" }
                stage = 0
            case (.lightingChanged, 0): break
            default: return "\(event) at stage \(stage)"
            }
        }
        return stage == 0 ? nil : "an event without end"
    }
}
