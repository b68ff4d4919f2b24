import Capture
import Foundation
import Logging
import Persistence
import PhotoLibrary
import PhotoModel
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import AgentCapture

struct CaptureConsentTests {
    @Test(
        "001.5, 001.14, 001.18: unless a camera is authorized, nothing opens it",
        arguments: [ConsentStatus.notDetermined, .restricted, .denied]
    )
    func closed(status: ConsentStatus) async throws {
        let bench = try CaptureBench(policy: status == .restricted ? .restricted : .ask)
        if status == .denied { try await bench.consents.setStatus(.denied, for: bench.subject) }
        let error = await #expect(throws: AgentError.self) {
            try await bench.takeShots(CaptureProfile(name: ""))
        }
        #expect(error?.exit == (status == .notDetermined ? .held : .notAllowed))
        #expect(bench.devices.openCount.load(ordering: .relaxed) == 0)
    }

    @Test(
        "000.10, 001.6, 001.7, 001.13, 001.22: without its usage text a device is not even asked about; the error names the key",
        arguments: CaptureDevice.Capability.allCases
    )
    func usage(missing: CaptureDevice.Capability) async throws {
        let usage: [CaptureDevice.Capability: String] = missing == .camera ? [:] : [.camera: "test"]
        let clock = try CountedDevices().clock
        let devices = try CountedDevices(microphones: [SyntheticMicrophone(clock: clock, name: "test-microphone")])
        let bench = try CaptureBench(policy: .ask, answer: true, usage: usage, devices: devices)
        let error = await #expect(throws: AgentError.self) {
            try await bench.takeShots(CaptureBench.liveProfile())
        }
        #expect(error?.exit == .configuration)
        #expect(error?.description.contains("capture.\(missing.rawValue).usage") == true)
        #expect(bench.prompter.count.load(ordering: .relaxed) == (missing == .camera ? 0 : 1))
        #expect(devices.openCount.load(ordering: .relaxed) == 0)
    }

    @Test("001.2, 001.3, 001.16: sessions that open at the same time share one question, remembered in the file")
    func oneQuestion() async throws {
        let bench = try CaptureBench(policy: .ask, answer: true)
        try await withThrowingTaskGroup(of: [CapturedShot].self) { group in
            for _ in 0..<4 { group.addTask { try await bench.takeShots(CaptureProfile(name: "")) } }
            for try await shots in group { #expect(shots.count == 1) }
        }
        #expect(bench.prompter.count.load(ordering: .relaxed) == 1)
        let reopened = ConsentFile(in: bench.root, policy: .ask)
        #expect(try await reopened.status(for: bench.subject) == .authorized)
    }

    @Test("001.17: a session for stills never asks about the microphone, nor one whose movies are silent by choice")
    func silentNeverAsks() async throws {
        let clock = try CountedDevices().clock
        let devices = try CountedDevices(microphones: [SyntheticMicrophone(clock: clock, name: "test-microphone")])
        let bench = try CaptureBench(policy: .ask, answer: true, usage: [.camera: "test"], devices: devices)
        var silent = CaptureBench.liveProfile()
        silent.sound = .off
        #expect(try await bench.takeShots(silent).first?.flags == ["audioAbsent"])
        #expect(try await bench.takeShots(CaptureProfile(name: "")).count == 1)
        #expect(bench.prompter.count.load(ordering: .relaxed) == 1)
    }

    @Test(
        "003.3, 003.4: sound that is required and not there is a typed failure; optional, the movie is silent and says so"
    )
    func soundPolicy() async throws {
        let bench = try CaptureBench()
        var profile = CaptureBench.liveProfile()
        profile.sound = .required
        let error = await #expect(throws: CaptureError.self) { try await bench.takeShots(profile) }
        #expect(error?.code == .configurationFailed)
        profile.sound = .optional
        let shot = try #require(try await bench.takeShots(profile).first)
        #expect(shot.isLivePhoto && shot.flags == ["audioAbsent"])
    }

    @Test("003.7: the camera's own microphone is used, or the one that is named; a name that is not there is none")
    func microphones() async throws {
        let clock = try CountedDevices().clock
        let own = SyntheticMicrophone(clock: clock, name: "own")
        let other = SyntheticMicrophone(clock: clock, name: "other")
        let bench = try CaptureBench(
            policy: .ask,
            answer: true,
            devices: try CountedDevices(microphones: [own, other])
        )
        func decided() async throws -> Set<String> {
            Set(try await bench.consents.decisions().map(\.subject.deviceID.rawValue))
        }
        var profile = CaptureBench.liveProfile()
        #expect(try await bench.takeShots(profile).first?.flags.contains("audioAbsent") == false)
        #expect(try await decided() == ["test-camera", "own"])
        profile.microphone = CaptureDevice.ID(rawValue: "other")
        #expect(try await bench.takeShots(profile).first?.flags.contains("audioAbsent") == false)
        #expect(try await decided() == ["test-camera", "own", "other"])
        profile.microphone = CaptureDevice.ID(rawValue: "gone")
        #expect(try await bench.takeShots(profile).first?.flags == ["audioAbsent"])
    }

    @Test(
        "001.1, 001.4, 001.15: the file keeps a decision a device and use, forgets by reset, and policy stands above it"
    )
    func file() async throws {
        let folder = try TemporaryFolder()
        let camera = ConsentSubject(capability: .camera, deviceID: CaptureDevice.ID(rawValue: "a"))
        let microphone = ConsentSubject(capability: .microphone, deviceID: CaptureDevice.ID(rawValue: "a"))
        let consents = ConsentFile(in: folder.path, policy: .ask)
        try await consents.setStatus(.denied, for: camera)
        #expect(try await consents.status(for: camera) == .denied)
        #expect(try await consents.status(for: microphone) == .notDetermined)
        #expect(try await ConsentFile(in: folder.path, policy: .authorized).status(for: camera) == .denied)
        #expect(try await ConsentFile(in: folder.path, policy: .authorized).status(for: microphone) == .authorized)
        #expect(try await ConsentFile(in: folder.path, policy: .restricted).status(for: microphone) == .restricted)
        try await consents.setStatus(.notDetermined, for: camera)
        #expect(try await consents.decisions().isEmpty)
    }

    @Test("A damaged file of decisions opens no camera, and says what to do")
    func damaged() async throws {
        let bench = try CaptureBench(policy: .ask)
        try PosixFileSystem().writeAtomically(bench.root.appending(ConsentFile.fileName), Array("{".utf8))
        let error = await #expect(throws: AgentError.self) { try await bench.takeShots(CaptureProfile(name: "")) }
        #expect(error?.exit == .configuration && error?.description.contains("consents.json") == true)
        #expect(bench.devices.openCount.load(ordering: .relaxed) == 0)
    }

    @Test("001.4: a decision that another process writes is seen at once, and a running session stops with its reason")
    func otherProcess() async throws {
        let bench = try CaptureBench(policy: .ask, answer: true)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let watch = ConsentWatch(folder: bench.root, fileName: ConsentFile.fileName, logger: logger) {
            try? await bench.provider.consents.refresh()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await watch.run() }
            try await bench.provider.withSession(CaptureProfile(name: "").request) { session, _ in
                let other = ConsentFile(in: bench.root, policy: .ask)
                try await other.setStatus(.denied, for: bench.subject)
                #expect(await session.waitUntilEnded()?.code == .consentWithdrawn)
            }
            group.cancelAll()
        }
    }
}

/// A folder that goes away with the value.
final class TemporaryFolder: Sendable {
    let path: Path

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = Path(folder.path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.text)
    }

    /// Writes a file.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path.text).appending(path: name))
    }
}
