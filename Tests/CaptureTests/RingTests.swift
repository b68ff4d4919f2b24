import MediaFormats
import PhotoModel
import TestSupport
import Testing

@testable import Capture

struct RingTests {
    private func pipeline(_ budget: MediaBudget, _ seconds: Int64 = 2) throws -> (CameraPipeline, CaptureConsent) {
        let consent = CaptureConsent(
            ConsentSubject(capability: .camera, deviceID: CaptureDevice.ID(rawValue: "camera"))
        )
        let pipeline = CameraPipeline(
            ringDuration: .seconds(seconds),
            budget: budget,
            compressor: NoCompressor(),
            consent: consent,
            warmsUp: false
        )
        return (pipeline, consent)
    }

    @Test("Every frame is kept or dropped with a reason, and memory stays within its budget, recordings included")
    func accounting() {
        checkProperty("frame accounting", cases: 200, maximumSize: 120) { generator, size in
            let budget = MediaBudget(limit: 2000)
            let (pipeline, _) = try pipeline(budget)
            var feeds: [MediaFeed<Frame>] = []
            var (sequence, gaps, offered): (UInt32, Int, Int) = (generator.oneIn(4) ? .max - 3 : 0, 0, 0)
            var time: Int64 = 0
            for _ in 0..<size {
                if offered > 0, generator.oneIn(8) {
                    let gap = 1 + generator.below(5)
                    sequence &+= UInt32(gap)
                    gaps += gap
                }
                time += generator.oneIn(20) ? -5 : 33
                var info = frameInfo(sequence, at(time))
                info.isDamaged = generator.oneIn(10)
                var bytes = tinyJPEG(byteCount: 20 + generator.below(300))
                if generator.oneIn(10) { bytes.removeLast(2) }
                bytes.withBytes { pipeline.receive($0, info) }
                offered += 1
                sequence &+= 1
                if generator.oneIn(10) {
                    feeds.append(pipeline.ring.feed(from: at(time - 200), through: at(time + 200)))
                }
                if generator.oneIn(5), !feeds.isEmpty { feeds.remove(at: generator.below(feeds.count)) }
                if budget.usedByteCount > 2000 { return "\(budget.usedByteCount) bytes held" }
            }
            let counts = pipeline.counts
            if counts.dropped[.deviceGap, default: 0] != gaps { return "gaps \(gaps), counted \(counts)" }
            let dropped = counts.dropped.reduce(0) { $0 + ($1.key == .warmingUp ? 0 : $1.value) }
            if counts.kept + dropped != offered + gaps { return "offered \(offered), counted \(counts)" }
            pipeline.end(.stopped)
            feeds = []
            return budget.usedByteCount == 0 ? nil : "\(budget.usedByteCount) bytes leaked"
        }
    }

    @Test("A frame that was held up on its way is kept, and counted as late")
    func late() throws {
        let (pipeline, _) = try pipeline(MediaBudget(limit: 10_000))
        for (number, delay) in [(0, 33), (1, 250), (2, 251), (3, 4000)] as [(UInt32, Int64)] {
            var info = frameInfo(number, at(Int64(number) * 33))
            info.clock.monotonic = info.timestamp.advanced(by: .milliseconds(delay))
            tinyJPEG().withBytes { pipeline.receive($0, info) }
        }
        #expect(pipeline.counts.kept == 4)
        #expect(pipeline.counts.late == 2)
    }

    @Test("A frame without its end, without image data, or marked as damaged is dropped with its reason")
    func damaged() throws {
        let (pipeline, _) = try pipeline(MediaBudget(limit: 10_000))
        var damaged = frameInfo(0, at(0))
        damaged.isDamaged = true
        tinyJPEG().withBytes { pipeline.receive($0, damaged) }
        [0xFF, 0xD8, 0xFF, 0xD9].withBytes { pipeline.receive($0, frameInfo(1, at(33))) }
        Array(tinyJPEG().dropLast(2)).withBytes { pipeline.receive($0, frameInfo(2, at(66))) }
        [UInt8]().withBytes { pipeline.receive($0, frameInfo(3, at(99))) }
        (tinyJPEG() + [0, 0, 0]).withBytes { pipeline.receive($0, frameInfo(4, at(132))) }
        #expect(pipeline.counts.dropped == [.damaged: 1, .truncated: 3])
        #expect(pipeline.counts.kept == 1)
    }

    @Test("001.4: no frame is kept after consent was withdrawn")
    func withdrawn() throws {
        let (pipeline, consent) = try pipeline(MediaBudget(limit: 10_000))
        tinyJPEG().withBytes { pipeline.receive($0, frameInfo(0, at(0))) }
        consent.withdraw()
        tinyJPEG().withBytes { pipeline.receive($0, frameInfo(1, at(33))) }
        #expect(pipeline.ring.count == 1)
    }

    @Test("The chosen frame is the nearest one, whatever the jitter and whenever the request comes")
    func nearest() async {
        for seed in 0..<60 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let budget = MediaBudget(limit: 1 << 20)
            var frames: [Frame] = []
            var time: Int64 = 0
            for index in 0..<20 as Range<UInt32> {
                time += 28 + Int64(generator.below(11))
                guard let buffer = MediaBuffer(tinyJPEG(), budget: budget) else { continue }
                frames.append(Frame(info: frameInfo(index, at(time)), buffer: buffer))
            }
            let target = at(200 + Int64(generator.below(200)))
            let known = frames.count { $0.timestamp <= target.advanced(by: .milliseconds(generator.below(100))) }
            var selector = StillSelector(target: target, interval: .milliseconds(28))
            var chosen: Frame?
            for (index, frame) in frames.enumerated() where chosen == nil {
                chosen = selector.offer(frame, isNewest: index >= known - 1)
            }
            let distance = chosen?.timestamp.duration(since: target).magnitude
            let best = frames.map { $0.timestamp.duration(since: target).magnitude }.min()
            #expect(distance == best, "seed \(seed)")
        }
    }

    @Test("A feed begins with what is kept, goes on, and ends by itself or with the reason it is given")
    func feeds() async throws {
        let ring = FrameRing(duration: .seconds(1))
        let budget = MediaBudget(limit: 1 << 20)
        func add(_ time: Int64) throws {
            let buffer = try #require(MediaBuffer(tinyJPEG(), budget: budget))
            _ = ring.append(Frame(info: frameInfo(UInt32(time), at(time)), buffer: buffer))
        }
        for time in [0, 100, 200] as [Int64] { try add(time) }
        let whole = ring.feed(from: at(100), through: at(300))
        let cut = ring.feed(from: at(200), through: at(900))
        for time in [300, 400] as [Int64] { try add(time) }
        ring.close(.deviceLost)
        let late = ring.feed(from: at(0), through: at(900))
        #expect(await whole.items.reduce(into: []) { $0.append($1.timestamp) } == [at(100), at(200), at(300)])
        #expect(await whole.end() == .complete)
        #expect(await cut.items.reduce(into: []) { $0.append($1.timestamp) } == [at(200), at(300), at(400)])
        #expect(await cut.end() == .deviceLost)
        #expect(await late.end() == .deviceLost)
    }
}
