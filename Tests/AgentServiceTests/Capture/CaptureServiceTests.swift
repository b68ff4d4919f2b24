import AgentService
import AgentStore
import Capture
import CaptureLinux
import Foundation
import LibraryAPI
import Logging
import MediaFormats
import Persistence
import PhotoLibrary
import PhotoModel
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import AgentCapture
@testable import AgentCommands

struct CaptureServiceTests {
    /// Runs a service of profiles for as long as the body takes, then shuts it down as systemd does.
    private func run(
        _ bench: CaptureBench,
        _ profiles: [CaptureProfile],
        _ context: CaptureService.Context,
        body: (CaptureService) async throws -> Void
    ) async throws {
        let store = bench.store
        let service = try CaptureService(
            profiles,
            context,
            importer: { Importer(store: store, limits: SpaceLimits(), album: $0.album) }
        )
        let group = ServiceGroup(services: [service], logger: context.logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                try await body(service)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private func isRunning(_ service: CaptureService) async -> Bool {
        await service.status().cameras.allSatisfy { $0.state == "running" }
    }

    @Test(
        "A picture of what a camera sees can be had at any time; it is no capture, and without a camera there is none"
    )
    func preview() async throws {
        let bench = try CaptureBench()
        try await run(bench, [CaptureBench.liveProfile("gate")], bench.context()) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            for profile in [nil, "gate"] {
                let picture = try await service.preview(of: profile)
                let size = try picture.withBytes { try JPEGHeader($0).pixelSize }
                #expect(size == PixelSize(width: 320, height: 240))
            }
            await #expect(throws: AgentError.self) { _ = try await service.preview(of: "door") }
            #expect(try bench.store.entries().isEmpty)
            try await bench.provider.consents.setStatus(.denied, for: bench.subject)
            try await eventually("the camera stops") { await !isRunning(service) }
            await #expect(throws: CaptureError.self) { _ = try await service.preview() }
        }
    }

    @Test("A camera whose controls cannot be locked is refused to a profile that locks them")
    func noLock() async throws {
        let bench = try CaptureBench()
        var profile = CaptureProfile(name: "alike")
        profile.locks = [.exposure]
        let error = await #expect(throws: CaptureError.self) { _ = try await bench.takeShots(profile) }
        #expect(error?.code == .unsupported)
        #expect(try bench.store.entries().isEmpty)
    }

    @Test("003.12, 003.13: a service takes stills and Live Photos from one camera, by trigger and by command")
    func triggersAndCommands() async throws {
        let bench = try CaptureBench()
        let (pulls, hand) = AsyncStream<Void>.makeStream()
        let news = Latch()
        let context = bench.context(captured: { news.open() }) { _, _ in
            [HandTrigger(pulls: pulls, clock: bench.provider.clock)]
        }
        try await run(bench, [CaptureBench.liveProfile("gate")], context) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            hand.yield()
            try await eventually("the trigger's shot is filed") { try bench.store.entries().count == 1 }
            var order = CaptureOrder()
            order.mode = .still
            let shots = try await service.take(order, at: bench.provider.clock.reading().monotonic)
            #expect(shots.map(\.isLivePhoto) == [false] && shots.first?.profile == "gate")
            try await eventually("both are counted, and nothing is under way") {
                let status = await service.status()
                guard let camera = status.cameras.first else { return false }
                return camera.shots.taken == 2 && camera.shots.livePhotos == 1 && camera.inFlightCount == 0
                    && !status.isRecording
            }
            #expect(news.isOpen, "the sync hears of it")
            let manifest = try bench.store.entries()[0].manifest
            #expect(manifest.captureFacts?.trigger == Trigger(.input, name: "hand").description)
            #expect(manifest.location?.altitude == 408)
        }
    }

    @Test("000.25: each shot tells its steps in their order, whatever asked for it, and what failed says why")
    func events() async throws {
        let bench = try CaptureBench()
        let (pulls, hand) = AsyncStream<Void>.makeStream()
        let context = bench.context(captured: {}) { _, _ in [HandTrigger(pulls: pulls, clock: bench.provider.clock)] }
        try await run(bench, [CaptureBench.liveProfile("gate")], context) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            var events = service.events().makeAsyncIterator()
            hand.yield()
            var story: [CaptureEvent] = []
            while let event = try await events.next() {
                story.append(event)
                if event.kind == .finished { break }
            }
            #expect(story.map(\.kind) == CaptureEvent.Kind.allCases.filter { $0 != .rawPhoto })
            #expect(Set(story.map(\.id)).count == 1 && story.allSatisfy { $0.profile == "gate" && $0.isLivePhoto })
            #expect(story.allSatisfy { $0.trigger == "input hand" && $0.camera == bench.devices.cameraID.rawValue })
            let entry = try #require(try bench.store.entry(story[0].id), "finished means that it is in the queue")
            let sizes = story.compactMap(\.byteCount)
            #expect(sizes == entry.manifest.resources.map(\.byteCount))
            #expect(story[2].captureTime == entry.manifest.captureTime && story.last?.problem == nil)

            var order = CaptureOrder()
            order.mode = .still
            let shot = try await service.take(order, at: bench.provider.clock.reading().monotonic)[0]
            var still: [CaptureEvent.Kind] = []
            while let event = try await events.next() {
                #expect(event.id == shot.id)
                still.append(event.kind)
                if event.kind == .finished { break }
            }
            #expect(still == [.willBegin, .willCapture, .didCapture, .photo, .finished])
        }
    }

    @Test("000.25: a shot that the session refuses is finished at once, with the reason")
    func refusedEvent() async throws {
        let bench = try CaptureBench()
        try await run(bench, [CaptureProfile(name: "gate")], bench.context()) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            var events = service.events().makeAsyncIterator()
            var order = CaptureOrder()
            order.mode = .live
            let error = await #expect(throws: CaptureError.self) {
                try await service.take(order, at: bench.provider.clock.reading().monotonic)
            }
            let event = try #require(try await events.next())
            #expect(event.kind == .finished && event.problem == error.map { "\($0)" })
        }
    }

    @Test("Who reads events too slowly is told so, and holds nobody up")
    func slowReader() async throws {
        let events = CaptureEvents()
        let (slow, quick) = (events.stream(), events.stream())
        let event = CaptureEvent(
            .willBegin,
            id: AssetID(rawValue: 1),
            profile: nil,
            camera: "c",
            trigger: "command",
            isLivePhoto: false
        )
        var reader = quick.makeAsyncIterator()
        for _ in 0...CaptureEvents.backlog {
            events.send(event)
            _ = try await reader.next()
        }
        var count = 0
        let error = await #expect(throws: AgentError.self) {
            for try await _ in slow { count += 1 }
        }
        #expect(error?.exit == .failed && count == CaptureEvents.backlog)
    }

    @Test("A command's picture is of the moment of the command, and its lag is told")
    func lag() async throws {
        let bench = try CaptureBench()
        try await run(bench, [CaptureProfile(name: "gate")], bench.context()) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            // Whoever cannot run for a while gives no frames; on a machine that is left alone the first picture is in time.
            try await eventually("a picture is of its moment, and its lag is told") {
                let shots = try await service.take(CaptureOrder(), at: bench.provider.clock.reading().monotonic)
                let shot = try #require(shots.first)
                let distance = shot.captureTime.wall.duration(since: shot.requestedTime.wall)
                let lag = Duration.microseconds(Int64(shot.lagMilliseconds * 1000))
                // Both clocks are read one after the other, and the thread that reads them may have to wait in between.
                return (distance - lag).magnitude <= .milliseconds(100) && lag.magnitude <= .milliseconds(250)
            }
        }
    }

    @Test("000.3: an order for an unknown profile, or for a Live Photo of a camera without, is a typed refusal")
    func refusals() async throws {
        let bench = try CaptureBench()
        try await run(bench, [CaptureProfile(name: "gate")], bench.context()) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            var order = CaptureOrder()
            order.profile = "garden"
            let unknown = await #expect(throws: AgentError.self) {
                try await service.take(order, at: bench.provider.clock.reading().monotonic)
            }
            #expect(unknown?.exit == .usage && unknown?.description.contains("gate") == true)
            order = CaptureOrder()
            order.mode = .live
            let live = await #expect(throws: CaptureError.self) {
                try await service.take(order, at: bench.provider.clock.reading().monotonic)
            }
            #expect(live?.code == .livePhotoUnsupported)
            #expect(await service.status().cameras.first?.shots.failed == ["livePhotoUnsupported": 1])
        }
    }

    @Test(
        "001.4: a consent that is withdrawn stops the camera and says why; given again, it runs again without a restart"
    )
    func consentComesAndGoes() async throws {
        let bench = try CaptureBench(policy: .ask)
        try await run(bench, [CaptureProfile(name: "gate")], bench.context()) { service in
            try await eventually("it waits for a decision") {
                await service.status().cameras.first?.reason?.contains("consent set camera") == true
            }
            #expect(bench.devices.openCount.load(ordering: .relaxed) == 0)
            try await bench.consents.setStatus(.authorized, for: bench.subject)
            await service.consentsChanged()
            try await eventually("the camera runs") { await isRunning(service) }
            try await bench.consents.setStatus(.denied, for: bench.subject)
            await service.consentsChanged()
            try await eventually("the camera stops") {
                await service.status().cameras.first?.state == "waiting"
            }
            let error = await #expect(throws: (any Error).self) {
                try await service.take(CaptureOrder(), at: bench.provider.clock.reading().monotonic)
            }
            #expect(error.flatMap(AgentExit.init(for:)) == .notAllowed)
        }
    }

    @Test("001.4: consent withdrawn in the middle of a Live Photo keeps what was durable, flagged, as an entry")
    func withdrawnMidShot() async throws {
        let bench = try CaptureBench(policy: .ask)
        try await bench.consents.setStatus(.authorized, for: bench.subject)
        var profile = CaptureBench.liveProfile("gate")
        // As long as a session allows: the decision comes well before its end.
        profile.postRoll = .seconds(10)
        try await run(bench, [profile], bench.context()) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            let time = bench.provider.clock.reading().monotonic
            async let shots = service.take(CaptureOrder(), at: time)
            let work = bench.store.spool
            try await eventually("the still is durable") {
                for folder in try PosixFileSystem().list(work) {
                    let names = try PosixFileSystem().list(work.appending(folder))
                    if names.contains(where: { $0.hasSuffix(".jpg") && !$0.hasPrefix(".") }) { return true }
                }
                return false
            }
            try await bench.consents.setStatus(.denied, for: bench.subject)
            await service.consentsChanged()
            let shot = try #require(try await shots.first)
            #expect(shot.flags.contains("movieCutShort"))
            #expect(try bench.store.entries().map(\.id) == [shot.id])
            try await eventually("nothing records") { await !service.status().isRecording }
        }
    }

    @Test("003.31, 003.34: the indicator's program is told when the first movie begins and when the last one ended")
    func indicator() async throws {
        let bench = try CaptureBench()
        let log = bench.folder.appending(path: "light")
        let program = bench.folder.appending(path: "hook")
        try "#!/bin/sh\necho $1 >> \(log.path)\n".write(to: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        var profile = CaptureBench.liveProfile("gate")
        // As long as a session allows: the second begins before the first ends, however late it is begun.
        profile.postRoll = .seconds(10)
        try await run(bench, [profile], bench.context(indicator: program.path)) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            let time = bench.provider.clock.reading().monotonic
            async let first = service.take(CaptureOrder(), at: time)
            async let second = service.take(CaptureOrder(), at: time)
            _ = try await (first, second)
            func lines() -> [Substring] {
                ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n")
            }
            try await eventually("it is told") { lines() == ["start", "stop"] }
        }
    }

    @Test("Something that moves in the picture is a capture, once an event, of a frame that it moves in")
    func motion() async throws {
        let bench = try CaptureBench()
        let factory = TriggerFactory(
            clock: bench.provider.clock,
            location: nil,
            pool: bench.pool,
            logger: CaptureBench.logger
        )
        var profile = CaptureProfile(name: "garden")
        // The synthetic camera's block moves without end.
        var motion = MotionSettings()
        motion.beginningArea = 0.0005
        motion.endingArea = 0.0002
        profile.triggers.motion = motion
        let context = bench.context(sources: { profile, session in
            try factory.sources(of: profile) { await session.newestFrame }
        })
        try await run(bench, [profile], context) { service in
            try await eventually("motion is seen") {
                (await service.status().cameras.first?.shots.taken ?? 0) >= 1
            }
            #expect(await service.status().cameras.first?.shots.lastShot?.trigger == "motion")
        }
    }

    @Test("A service that is stopped in the middle of a Live Photo files what it has before it ends")
    func stopped() async throws {
        let bench = try CaptureBench()
        let (pulls, hand) = AsyncStream<Void>.makeStream()
        var profile = CaptureBench.liveProfile("gate")
        profile.postRoll = .seconds(10)
        let context = bench.context(sources: { _, _ in [HandTrigger(pulls: pulls, clock: bench.provider.clock)] })
        try await run(bench, [profile], context) { service in
            try await eventually("the camera runs") { await isRunning(service) }
            hand.yield()
            try await eventually("it records") { await service.status().isRecording }
        }
        let entry = try #require(try bench.store.entries().first)
        #expect(entry.manifest.resources.count == 2, "the movie up to the end is kept")
    }

    @Test("Files that appear in a watched folder become entries once, over a restart too; a pair is one Live Photo")
    func folder() async throws {
        let bench = try CaptureBench()
        let drop = try TemporaryFolder()
        let pair = try await livePair(bench)
        var profile = CaptureProfile(name: "drop")
        profile.watch = .init(folder: drop.path.text, settleTime: .seconds(30), disposal: .keep)
        let before = try bench.store.entries().count
        try await run(bench, [profile], bench.context()) { service in
            try drop.write("DSC_1.JPG", pair.still)
            try drop.write("DSC_1.MOV", pair.movie)
            try drop.write("notes.txt", Array("no picture".utf8))
            try await eventually("the pair is taken") { await service.status().folders.first?.taken == 1 }
            try await eventually("the text is passed over") { await service.status().folders.first?.passedOver == 1 }
        }
        let entry = try #require(try bench.store.entries().last)
        #expect(try bench.store.entries().count == before + 1)
        #expect(entry.manifest.resources.map(\.type) == [.photo, .pairedVideo])
        #expect(entry.manifest.captureTime.source == .fileMetadata)
        #expect(entry.manifest.pixelSize == PixelSize(width: 320, height: 240))
        // A still that has no movie is taken once it has waited for one.
        profile.watch?.settleTime = .milliseconds(300)
        try await run(bench, [profile], bench.context()) { service in
            try drop.write("DSC_2.JPG", pair.still + [0])
            try await eventually("the new one is taken") { await service.status().folders.first?.taken == 1 }
            #expect(await service.status().folders.first?.passedOver == 0, "old files are not read again")
        }
        #expect(try bench.store.entries().count == before + 2)
    }

    @Test(
        "A folder that is not there is said to be missing, and watched once it is; taken files go where that is wanted"
    )
    func missingFolder() async throws {
        let bench = try CaptureBench()
        let drop = bench.root.appending("later")
        let pair = try await livePair(bench)
        var profile = CaptureProfile(name: "drop")
        profile.watch = .init(folder: drop.text, settleTime: .milliseconds(200), disposal: .remove)
        try await run(bench, [profile], bench.context()) { service in
            try await eventually("it says so") { await service.status().folders.first?.problem != nil }
            try PosixFileSystem().createDirectories(drop)
            // Moved in as a whole: half a file, on a busy machine, stays the same for as long as a settled one.
            let photo = bench.root.appending("a.jpg")
            try Data(pair.still).write(to: URL(filePath: photo.text))
            try PosixFileSystem().rename(photo, to: drop.appending("a.jpg"))
            try await eventually("it is taken") { await service.status().folders.first?.taken == 1 }
            try await eventually("it is gone") { try PosixFileSystem().list(drop).isEmpty }
        }
    }

    @Test("A folder that is emptied keeps a photo whose sidecar came too late to be taken up, and says so")
    func lateSidecar() async throws {
        let bench = try CaptureBench()
        let drop = try TemporaryFolder()
        let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
        try drop.write("DSC_1.JPG", photo)
        let importer = Importer(store: bench.store, limits: SpaceLimits(), album: nil)
        #expect(try importer.run([drop.path]).report.added == 1)
        try drop.write("DSC_1.AAE", Array("<plist/>".utf8))
        var profile = CaptureProfile(name: "drop")
        profile.watch = .init(folder: drop.path.text, settleTime: .milliseconds(200), disposal: .remove)
        try await run(bench, [profile], bench.context()) { service in
            try await eventually("it says so") {
                await service.status().folders.first?.failed.values.contains { $0.contains("DSC_1.AAE") } == true
            }
        }
        #expect(try PosixFileSystem().list(drop.path).sorted() == ["DSC_1.AAE", "DSC_1.JPG"])
    }

    /// The files of a Live Photo that this box took, changed so that their bytes are new to the queue.
    private func livePair(_ bench: CaptureBench) async throws -> (still: [UInt8], movie: [UInt8]) {
        let shot = try #require(try await bench.takeShots(CaptureBench.liveProfile()).first)
        let files = try shot.files.map { Array(try Data(contentsOf: URL(filePath: $0))) }
        return (files[0] + [0, 0], files[1] + [0, 0, 0, 8] + Array("free".utf8))
    }
}
