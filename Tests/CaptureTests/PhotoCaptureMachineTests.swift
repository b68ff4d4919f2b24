import PhotoModel
import SystemPackage
import TestSupport
import Testing

@testable import Capture

struct PhotoCaptureMachineTests {
    private static let law = [
        "willCapture", "didCapture", "photo", "movieRecordingStopped", "movie", "finished", "finished with error",
    ]

    /// Everything a shot's work may report, in any order, more than once, with any outcome.
    private static func reports(_ generator: inout SeededGenerator) throws -> [PhotoCaptureMachine.Input] {
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 0, count: 32)))
        let file = RecordedFile(path: "/nowhere", byteCount: 1, digest: digest, contentType: "test/test")
        let size = PixelSize(width: 2, height: 2)
        let error = CaptureError(.storageFailed, "in this test")
        let still = RecordedStill(file: file, pixelSize: size)
        let movie = RecordedMovie(
            file: file,
            duration: .seconds(3),
            photoDisplayTime: .seconds(1),
            pixelSize: size,
            silence: nil
        )
        let info = frameInfo(0, at(0))
        let time = info.clock.captureTime(of: at(0), bootID: nil)
        var inputs: [PhotoCaptureMachine.Input] = [
            .choosing,
            generator.oneIn(4) ? .notChosen(error) : .chosen(ChosenFrame(info: info, captureTime: time, lag: .zero)),
            .still(
                generator.oneIn(3)
                    ? .failure(error)
                    : .success(RecordedPhotos(still: still, raw: generator.oneIn(2) ? still : nil))
            ),
            .recordingStopped(generator.pick(FeedEnd.allCases)),
            .movie(generator.oneIn(3) ? .failure(error) : .success(movie)),
        ]
        // The work begins in its order; only its ends race.
        let ends = inputs[2...].shuffled(using: &generator)
        inputs.replaceSubrange(2..., with: ends)
        if generator.oneIn(2) { inputs.insert(generator.pick(inputs), at: generator.below(inputs.count + 1)) }
        return inputs
    }

    @Test("003.30, 003.36: whatever order the work ends in, events keep their order and finished comes once")
    func law() {
        checkProperty("event order", cases: 2000) { generator, _ in
            let isLive = generator.oneIn(2)
            var machine = PhotoCaptureMachine(isLivePhoto: isLive)
            var names: [String] = []
            var (reported, told): (FeedEnd?, FeedEnd?) = (nil, nil)
            for input in try Self.reports(&generator) {
                if case .recordingStopped(let end) = input { reported = reported ?? end }
                for event in machine.handle(input) {
                    names.append(event.name)
                    if case .movieRecordingStopped(let end) = event { told = end }
                }
            }
            if names.contains("movie"), told != reported { return "ended by \(String(describing: reported)): \(names)" }
            let places = names.compactMap { Self.law.firstIndex(of: $0) }
            if places != places.sorted() { return "out of order: \(names)" }
            if Set(names).count != names.count { return "repeated: \(names)" }
            let finished = names.count { $0.hasPrefix("finished") }
            if finished != 1 { return "finished \(finished) times: \(names)" }
            if names.last?.hasPrefix("finished") != true { return "something after finished: \(names)" }
            if !isLive, names.contains(where: { $0.hasPrefix("movie") }) { return "a still with a movie: \(names)" }
            if names.contains("movie"), !names.contains("photo") { return "a movie without still: \(names)" }
            return machine.isRecording ? "still recording" : nil
        }
    }

    @Test("003.34, 003.36: the count is never negative, counts each shot once, and ends at 0")
    func counting() {
        checkProperty("in-flight count", cases: 300) { generator, size in
            var shots = InFlightCaptures()
            var pending: [(AssetID, [PhotoCaptureMachine.Input])] = []
            for index in 0..<size {
                let id = AssetID(rawValue: UInt128(index))
                let isLive = generator.oneIn(2)
                _ = shots.begin(
                    ResolvedPhotoSettings(
                        uniqueID: id,
                        photoSize: PixelSize(width: 2, height: 2),
                        livePhotoMovieSize: isLive ? PixelSize(width: 2, height: 2) : nil,
                        hasAudio: false,
                        requestedTime: at(0)
                    )
                )
                pending.append((id, try Self.reports(&generator)))
            }
            guard shots.activity.inFlightCount == size else { return "not all counted" }
            while !pending.isEmpty {
                let index = generator.below(pending.count)
                shots.report(pending[index].1.removeFirst(), of: pending[index].0)
                let activity = shots.activity
                if activity.recordingCount > activity.inFlightCount { return "more recordings than shots" }
                if pending[index].1.isEmpty { pending.remove(at: index) }
            }
            return shots.activity == CaptureActivity() ? nil : "left over: \(shots.activity)"
        }
    }
}
