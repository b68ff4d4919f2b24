import AgentStore
import Capture
import Foundation
import Host
import LibraryAPI
import Persistence
import PhotoLibrary
import PhotoModel
import SystemPackage
import TestSupport
import Testing

@testable import AgentCapture

struct CaptureDestinationTests {
    private static func record(_ number: UInt128, _ time: CaptureTime, isLivePhoto: Bool = false) -> EntryRecord {
        let manifest = AssetManifest(
            id: AssetID(rawValue: number),
            mediaType: .image,
            captureTime: time,
            resources: []
        )
        return EntryRecord(manifest, isIncompleteLivePhoto: isLivePhoto)
    }

    @Test(
        "000.1, 000.2, 003.16, 003.26, 003.27, 003.28: a Live Photo becomes one entry of two files, byte for byte, and nothing else is left"
    )
    func livePhoto() async throws {
        let bench = try CaptureBench()
        let shot = try #require(try await bench.takeShots(CaptureBench.liveProfile()).first)
        let entry = try #require(try bench.store.entry(shot.id))
        #expect(entry.manifest.resources.map(\.type) == [.photo, .pairedVideo])
        #expect(entry.manifest.resources.map(\.type.rawValue) == [1, 9])
        #expect(entry.manifest.mediaSubtypes.contains(.photoLive) && !entry.isIncompleteLivePhoto)
        // How many of its frames a busy machine leaves out is not known.
        #expect(entry.manifest.durationMicroseconds.map { 1...1_200_000 ~= $0 } == true)
        for resource in entry.manifest.resources {
            let path = bench.store.file(of: resource, in: shot.id)
            #expect(try ContentHasher.digest(path, in: PosixFileSystem()).digest == resource.digest)
        }
        #expect(Set(entry.manifest.resources.compactMap { $0.originalFilename?.displayText.dropLast(4) }).count == 1)
        #expect(try PosixFileSystem().list(bench.store.spool).isEmpty)
    }

    @Test("000.15, 003.19, 003.35: what is known of a shot is kept with its files, keyed by the capture")
    func record() async throws {
        let bench = try CaptureBench()
        var profile = CaptureProfile(name: "gate")
        profile.album = "Gate"
        let shot = try #require(try await bench.takeShots(profile).first)
        #expect(shot.profile == "gate" && shot.trigger == "command")
        let manifest = try #require(try bench.store.entry(shot.id)).manifest
        #expect(manifest.captureTime == shot.captureTime && manifest.desiredAlbum == .title("Gate"))
        let facts = try #require(manifest.captureFacts)
        let lag = try #require(facts.lagMicroseconds)
        #expect(facts.trigger == shot.trigger && abs(Double(lag) / 1000 - shot.lagMilliseconds) <= 0.1)
        let kept = try PosixFileSystem().list(bench.store.folder(of: shot.id))
        #expect(kept.count == 2 && kept.contains("entry.json"), "one record beside the still: \(kept)")
    }

    @Test("a masked camera's shot is black there, and its manifest names the mask and its hash")
    func mask() async throws {
        let bench = try CaptureBench()
        var profile = CaptureProfile(name: "gate")
        let area = try #require(PicturePolygon("0,0 0.5,0.5"))
        profile.mask = PrivacyMask(areas: [area])
        let shot = try #require(try await bench.takeShots(profile).first)
        let entry = try #require(try bench.store.entry(shot.id))
        let text = "0.0,0.0 0.5,0.0 0.5,0.5 0.0,0.5"
        #expect(entry.manifest.captureFacts?.mask == text)
        #expect(entry.manifest.captureFacts?.maskDigest == ContentHasher.digest(text.utf8))
        let resource = try #require(entry.manifest.resources.first)
        let path = bench.store.file(of: resource, in: shot.id).text
        func luma(_ crop: String) throws -> [UInt8] {
            let filter = "extractplanes=y,crop=\(crop)"
            return [UInt8](
                try ChildProcess.run("ffmpeg", ["-v", "error", "-i", path, "-vf", filter, "-f", "rawvideo", "-"]).output
            )
        }
        #expect(try luma("160:120:0:0") == [UInt8](repeating: 0, count: 160 * 120))
        #expect(try luma("100:100:200:140").contains { $0 > 50 })
    }

    @Test("A burst becomes one entry a frame, of one burst with one representative")
    func burst() async throws {
        let bench = try CaptureBench()
        var profile = CaptureProfile(name: "burst")
        profile.count = 8
        let shots = try await bench.takeShots(profile)
        let bursts = try shots.compactMap { try bench.store.entry($0.id)?.manifest.burst }
        #expect(bursts.count == 8 && Set(bursts.map(\.id)).count == 1)
        #expect(bursts.count { $0.representsBurst } == 1)
        let times = shots.map(\.captureTime.wall).sorted()
        for (earlier, later) in zip(times, times.dropFirst()) {
            #expect(later > earlier, "a frame was taken twice")
        }
    }

    @Test("000.3, 000.18: a shot that fails leaves no entry and no files, and is counted with its reason")
    func failure() async throws {
        let bench = try CaptureBench()
        let tally = CaptureTally()
        let destination = bench.destination
        try await bench.provider.withSession(CaptureProfile(name: "").request) { session, camera in
            var profile = CaptureProfile(name: "heic")
            profile.stillFormat = .dng
            let taker = bench.taker(session, camera, profile, destination: destination, tally: tally)
            let event = TriggerEvent(.command, at: bench.provider.clock.reading().monotonic)
            await #expect(throws: CaptureError.self) { _ = try await taker.take(event) }
        }
        #expect(tally.counts.failed == ["unsupported": 1] && tally.counts.taken == 0)
        #expect(try bench.store.entries().isEmpty)
        // The files are gone with the shot, not only with the process.
        let left = try withExtendedLifetime(destination) { try PosixFileSystem().list(bench.store.spool) }
        #expect(left.isEmpty, "\(left)")
    }

    @Test("000.14, 000.19, 000.20: a hundred shots while a decision is pending are a hundred entries")
    func manyWhilePending() async throws {
        let bench = try CaptureBench()
        var profile = CaptureProfile(name: "")
        // In several bursts: one ends when the camera could have given twice its frames, however busy the machine is.
        profile.count = 10
        #expect(try await bench.takeShots(profile, count: 10).count == 100)
        #expect(try bench.store.summary().states["captured"]?.count == 100)
    }

    @Test("000.14, 000.19: a picture is of the trigger's moment, however late the disk has a folder for it")
    func lateFolder() async throws {
        let bench = try CaptureBench()
        let profile = CaptureProfile(name: "")
        try await bench.provider.withSession(profile.request) { session, camera in
            try await eventually("a picture is of its moment") {
                let destination = HeldDestination(bench.destination)
                defer { destination.letGo() }
                let taker = bench.taker(session, camera, profile, destination: destination)
                let event = TriggerEvent(.command, at: bench.provider.clock.reading().monotonic)
                let shots = Task { try await taker.take(event) }
                try await eventually("the camera sees what comes after the trigger") {
                    guard let frame = await session.newestFrame else { return false }
                    return frame.timestamp.duration(since: event.time) >= .milliseconds(300)
                }
                destination.letGo()
                do {
                    let shot = try #require(try await shots.value.first)
                    let taken = Int64(try #require(shot.captureTime.monotonicNanoseconds))
                    let distance = MonotonicTime(nanoseconds: taken).duration(since: event.time)
                    #expect(abs(distance / .milliseconds(1) - shot.lagMilliseconds) <= 0.1, "\(distance)")
                    return distance.magnitude <= .milliseconds(150)
                } catch let error as CaptureError where error.code == .noFrame {
                    // The test was kept waiting until the camera had forgotten the moment.
                    return false
                }
            }
        }
    }

    @Test("A queue without room says so before anything is damaged, and keeps the shot's files for later")
    func full() async throws {
        let bench = try CaptureBench()
        let destination = QueueDestination(store: bench.store, limits: SpaceLimits(maximumByteCount: 1))
        try await bench.provider.withSession(CaptureProfile(name: "").request) { session, camera in
            let taker = bench.taker(session, camera, CaptureProfile(name: ""), destination: destination)
            let event = TriggerEvent(.command, at: bench.provider.clock.reading().monotonic)
            let error = await #expect(throws: AgentStoreError.self) { _ = try await taker.take(event) }
            #expect(error?.code == .full)
        }
        #expect(try bench.store.entries().isEmpty)
    }

    @Test("What the recorder hashed is not read again: its digest names the still")
    func recorderDigest() async throws {
        let bench = try CaptureBench()
        let destination = bench.destination
        let time = CaptureTime(wall: HostClock.now(), source: .deviceClock, isSynchronized: true)
        let record = Self.record(1, time)
        let recorded = try await bench.provider.withSession(CaptureProfile(name: "").request) { session, _ in
            let settings = CapturePhotoSettings(uniqueID: record.manifest.id, folder: try destination.begin(record))
            let result = try await session.capturePhoto(with: settings).result()
            let still = try #require(result.resources.first?.file)
            let zeros = [UInt8](repeating: 0, count: Int(still.byteCount))
            try Data(zeros).write(to: URL(filePath: still.path.string))
            _ = try destination.file(result, record)
            return still
        }
        let entry = try #require(try bench.store.entry(record.manifest.id))
        #expect(entry.manifest.resources.map(\.digest) == [recorded.digest])
    }

    @Test("Shots of one moment get names of their own in a folder, pairs the same but for the ending")
    func folder() async throws {
        let bench = try CaptureBench()
        let output = bench.root.appending("output")
        try PosixFileSystem().createDirectories(output)
        let destination = FolderDestination(folder: output)
        let time = CaptureTime(wall: HostClock.now(), source: .deviceClock, isSynchronized: true)
        let records = (1...2).map { Self.record($0, time, isLivePhoto: true) }
        let wanted = try records.map { record in
            var settings = CapturePhotoSettings(uniqueID: record.manifest.id, folder: try destination.begin(record))
            settings.isLivePhoto = true
            return settings
        }
        try await bench.provider.withSession(CaptureBench.liveProfile().request) { session, _ in
            // Of one frame: of two shots of a moment, a busy machine may make one of a later frame, with another name.
            let frame = try #require(await session.newestFrame)
            let first = try await session.capturePhoto(with: wanted[0], of: frame)
            let second = try await session.capturePhoto(with: wanted[1], of: frame)
            async let firstFiles = try await destination.file(first.result(), records[0])
            async let secondFiles = try await destination.file(second.result(), records[1])
            _ = try await (firstFiles, secondFiles)
        }
        // The hidden folder is gone with the last shot, not only with the process.
        let names = try withExtendedLifetime(destination) { try PosixFileSystem().list(output) }
        #expect(names.count == 4 && names.allSatisfy { $0.hasPrefix("IMG_") }, "\(names)")
        #expect(names.count { $0.hasSuffix("-2.JPG") } == 1 && names.count { $0.hasSuffix("-2.MOV") } == 1, "\(names)")
    }
    /// What a process leaves that ends in the middle: a shot's folder, and the lock's file that nobody locks any more.
    private func leftovers(in output: Path, _ names: [String], hasStill: Bool = true) async throws -> AssetID {
        let bench = try CaptureBench()
        let shot = try #require(try await bench.takeShots(CaptureBench.liveProfile()).first)
        let folder = output.appending(".tintype-gone").appending(shot.id.description)
        try PosixFileSystem().createDirectories(folder)
        for file in shot.files where hasStill || file.hasSuffix(".mov") {
            let ending = file.split(separator: ".").last ?? ""
            try FileManager.default.copyItem(atPath: file, toPath: "\(folder)/\(shot.id).\(ending)")
        }
        for name in names { try PosixFileSystem().writeAtomically(folder.appending(name), [1]) }
        return shot.id
    }

    @Test("Shots that a crash left in a folder get their names with the next capture; halves of files go")
    func folderRecovery() async throws {
        let output = try TemporaryFolder()
        let id = try await leftovers(in: output.path, [".x.mov.part"])
        let destination = FolderDestination(folder: output.path)
        let taken = try destination.recover()
        #expect(taken.map { String($0.name.suffix(4)) } == [".JPG", ".MOV"], "\(taken) of \(id)")
        #expect(Set(taken.map { $0.name.dropLast(4) }).count == 1)
        #expect(try PosixFileSystem().list(output.path) == taken.map(\.name).sorted())
        #expect(try destination.recover().isEmpty)
    }

    @Test("A still whose name the power left, but not its bytes, goes")
    func folderRecoveryOfNames() async throws {
        for isWhole in [true, false] {
            let output = try TemporaryFolder()
            let id = try await leftovers(in: output.path, [])
            let shot = output.path.appending(".tintype-gone").appending("\(id)")
            let still = shot.appending("\(id).jpg")
            let digest = try ContentHasher.digest(still, in: PosixFileSystem()).digest
            let named = isWhole ? digest : ContentHasher.digest([])
            let name = named.fileName(stem: "\(id)", fileExtension: "jpg")
            try PosixFileSystem().rename(still, to: shot.appending(name))
            let taken = try FolderDestination(folder: output.path).recover()
            #expect(taken.count == (isWhole ? 2 : 0), "\(taken)")
        }
    }

    @Test("A shot whose still was never whole goes; the folder of a process that is at work is left alone")
    func folderRecoveryLeavesOthers() async throws {
        let output = try TemporaryFolder()
        _ = try await leftovers(in: output.path, [], hasStill: false)
        let other = FolderDestination(folder: output.path)
        let time = CaptureTime(wall: HostClock.now(), source: .deviceClock, isSynchronized: true)
        let record = Self.record(7, time)
        let begun = try other.begin(record)
        #expect(try FolderDestination(folder: output.path).recover().isEmpty)
        let left = try PosixFileSystem().list(output.path)
        #expect(left.count == 1 && begun.string.contains(left[0]), "\(left)")
        try other.discard(record.manifest.id)
    }

    @Test("A crash between still and movie, or before the old names went, leaves no second copy")
    func folderRecoveryTwice() async throws {
        let output = try TemporaryFolder()
        _ = try await leftovers(in: output.path, [])
        let first = try FolderDestination(folder: output.path).recover()
        // The same shot again, of which the still has its name already.
        let work = output.path.appending(".tintype-again").appending("\(AssetID(rawValue: 9))")
        try PosixFileSystem().createDirectories(work)
        let still = work.appending("\(AssetID(rawValue: 9)).jpg")
        try FileManager.default.copyItem(atPath: first[0].text, toPath: still.text)
        #expect(try FolderDestination(folder: output.path).recover() == [first[0]])
        #expect(try PosixFileSystem().list(output.path) == first.map(\.name).sorted())
    }

    @Test("T146: a link that is named like a hidden folder of shots leads nowhere, and other folders in one stay")
    func plantedLink() throws {
        let (output, other) = (try TemporaryFolder(), try TemporaryFolder())
        let files = PosixFileSystem()
        let shot = "\(AssetID(rawValue: 9))"
        let own = output.path.appending(".tintype-own")
        let planted = own.appending("\(AssetID(rawValue: 8))").appending("a.jpg")
        for folder in [other.path.appending(shot), own.appending("2024"), planted] {
            try files.createDirectories(folder)
            try files.writeAtomically(folder.appending("a.jpg"), [1])
        }
        let link = output.path.appending(".tintype-link").text
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other.path.text)
        #expect(try FolderDestination(folder: output.path).recover().isEmpty)
        #expect(try files.list(other.path) == [shot])
        #expect(try files.list(other.path.appending(shot)) == ["a.jpg"])
        #expect(try files.list(own.appending("2024")) == ["a.jpg"])
        #expect(try files.list(planted) == ["a.jpg"])
    }
}

/// A queue that has no folder for a shot before the test lets it.
private final class HeldDestination: CaptureDestination {
    private let queue: QueueDestination
    private let gate = DispatchSemaphore(value: 0)

    init(_ queue: QueueDestination) { self.queue = queue }

    func letGo() { gate.signal() }

    func begin(_ record: EntryRecord) throws -> FilePath {
        gate.wait()
        return try queue.begin(record)
    }

    func file(_ result: CaptureResult, _ record: EntryRecord) throws -> [Path] { try queue.file(result, record) }

    func discard(_ asset: AssetID) { queue.discard(asset) }
}
