import Capture
import CaptureLinux
import Foundation
import Persistence
import PhotoLibrary
import PhotoModel
import Settings
import Testing

@testable import AgentCapture

struct CaptureProfileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../config/profiles")

    private func sample(_ name: String) throws -> CaptureProfile {
        let file = Self.folder.appending(path: "\(name).yaml")
        return try CaptureProfile(name: name, yaml: String(contentsOf: file, encoding: .utf8))
    }

    @Test("000.24, 001.9: every sample profile is understood, and says what its name does")
    func samples() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(
            files == [
                "doorbell.yaml", "folder-watch.yaml", "house-bell.yaml", "motion.yaml", "photo-booth.yaml",
                "time-lapse.yaml",
            ]
        )
        let lapse = try sample("time-lapse")
        #expect(lapse.triggers.interval == .seconds(60) && !lapse.isLivePhoto && lapse.format.preset == .max)
        #expect(lapse.locks == [] && lapse.request.locks == [])
        let locked = try CaptureProfile(name: "x", yaml: "camera:\n  lock: [exposure, focus]")
        #expect(locked.request.locks == [.exposure, .focus])
        #expect(lapse.mask == nil)
        let masked = try CaptureProfile(name: "x", yaml: "camera:\n  masks: [\"0,0 0.5,0.2\", \"0,1 1,1 0.5,0.5\"]")
        #expect(masked.request.mask?.areas.map(\.corners.count) == [4, 3])
        let doorbell = try sample("doorbell")
        #expect(doorbell.isLivePhoto && doorbell.triggers.input?.line == 17)
        let bell = try #require(try sample("house-bell").triggers.mqtt)
        #expect(bell.broker == MQTTPlan.Broker("localhost:1883") && bell.topic == "door/bell")
        #expect(bell.payload == "pressed" && bell.user == nil && bell.passwordFile == nil && bell.authorityFile == nil)
        #expect(doorbell.triggers.input?.isActiveLow == true && doorbell.triggers.input?.bias == .pullUp)
        let booth = try sample("photo-booth")
        #expect(booth.count == 3 && booth.stride == 10 && booth.triggers.isSignal)
        let motion = try sample("motion")
        #expect(motion.triggers.motion?.zones.count == 1 && motion.triggers.motion?.masks == [])
        #expect(motion.isLivePhoto && motion.sound == .off)
        let watch = try sample("folder-watch")
        #expect(watch.watch?.folder == "/srv/ftp/camera" && watch.watch?.settleTime == .seconds(2))
    }

    @Test(
        "000.4: a profile that is wrong is refused with its name, the key and what to write",
        arguments: [
            ("shot:\n  format: tiff", "one of jpeg, heic, avif, png, dng"),
            ("shot:\n  format: png\n  mode: live", "shot.mode: still"),
            ("shot:\n  format: dng\ntrigger:\n  motion:\n    enabled: true", "trigger.motion cannot watch"),
            ("shot:\n  mode: movie", "shot.mode"), ("camera:\n  preset: huge", "camera.preset"),
            ("camera:\n  lock: [zoom]", "camera.lock"), ("camera:\n  masks: [\"0,0 2,1\"]", "camera.masks"),
            ("camera:\n  masks:" + String(repeating: "\n  - 0,0 1,1", count: 200), "2048"),
            ("camera:\n  masks: [\"0,0 1,1\"]\nwatch:\n  folder: /srv", "watch.folder"),
            ("camera:\n  size: 1920", "camera.size"), ("live:\n  preRollMilliseconds: 100", "live.preRollMilliseconds"),
            ("trigger:\n  calendar:\n    times: [\"25:00\"]", "trigger.calendar.times"),
            ("trigger:\n  calendar:\n    weekdays: [0]", "trigger.calendar.weekdays"),
            ("trigger:\n  interval:\n    milliseconds: 1", "trigger.interval.milliseconds"),
            ("trigger:\n  motion:\n    zones: [\"0,0 2,2 1,1\"]", "trigger.motion.zones"),
            ("shot:\n  modus: live", "shot.mode"), ("movie:\n  path: /tmp/x.mov", "nearest"),
        ]
    )
    func wrong(yaml: String, named: String) {
        let error = #expect(throws: SettingsError.self) { try CaptureProfile(name: "gate", yaml: yaml) }
        #expect(error?.description.contains("profile gate") == true)
        #expect(error?.description.contains(named) == true, "\(error?.description ?? "")")
    }

    @Test("003.14: no profile names where files go; a path in it is an unknown key")
    func path() {
        #expect(throws: SettingsError.self) { try CaptureProfile(name: "x", yaml: "shot:\n  path: /tmp/movie.mov") }
    }

    @Test("Profiles of one camera share a session; a still profile beside a live one uses its session")
    func plans() throws {
        var still = CaptureProfile(name: "still")
        still.camera = CaptureDevice.ID(rawValue: "a")
        var live = CaptureProfile(name: "live")
        live.camera = still.camera
        live.isLivePhoto = true
        live.preRoll = .seconds(3)
        let other = CaptureProfile(name: "other")
        for profiles in [[still, live, other], [live, other, still]] {
            let plans = try CameraPlan.plans(for: profiles)
            #expect(plans.count == 2)
            let shared = try #require(plans.first { $0.profiles.count == 2 })
            #expect(shared.request.isLivePhoto && shared.request.preRoll == .seconds(3))
        }
        let area = try #require(PicturePolygon("0,0 1,0.5"))
        live.mask = PrivacyMask(areas: [area])
        #expect(throws: AgentError.self) { _ = try CameraPlan.plans(for: [still, live]) }
        live.mask = nil
        still.format.preset = .low
        let error = #expect(throws: AgentError.self) { _ = try CameraPlan.plans(for: [still, live]) }
        #expect(error?.exit == .configuration && error?.description.contains("still and live") == true)
    }

    @Test("A shot without a profile takes the first mask that may be of its camera")
    func borrowedMask() throws {
        func profile(_ camera: String?, mask corner: String?) throws -> CaptureProfile {
            var profile = CaptureProfile(name: camera ?? "any")
            profile.camera = camera.map { CaptureDevice.ID(rawValue: $0) }
            profile.mask = try corner.flatMap { PrivacyMask(areas: [try #require(PicturePolygon("0,0 \($0)"))]) }
            return profile
        }
        let (gate, yard) = (try profile("gate", mask: "1,0.3"), try profile("yard", mask: "1,0.5"))
        let (any, bare) = (try profile(nil, mask: "1,0.7"), try profile("gate", mask: nil))
        let rows: [(camera: String?, others: [CaptureProfile], expected: PrivacyMask?)] = [
            ("yard", [bare, gate, yard], yard.mask), ("gate", [bare, gate, yard], gate.mask),
            (nil, [bare, yard, gate], yard.mask), ("hall", [gate, yard], nil), ("hall", [gate, any], any.mask),
            ("gate", [any, gate], any.mask), ("gate", [], nil),
        ]
        for (camera, others, expected) in rows {
            #expect(try profile(camera, mask: nil).masked(like: others).mask == expected, "\(camera ?? "none")")
        }
        #expect(try profile("gate", mask: "1,0.1").masked(like: [gate]).mask != gate.mask, "its own comes first")
    }

    @Test("A profile that goes by the sun needs the place of the box")
    func sun() throws {
        let profile = try CaptureProfile(name: "dawn", yaml: "trigger:\n  calendar:\n    times: [sunrise]")
        let devices = try CountedDevices()
        let pool = BlockingPool(width: 1)
        #expect(throws: AgentError.self) {
            _ = try TriggerFactory(clock: devices.clock, location: nil, pool: pool, logger: CaptureBench.logger)
                .sources(
                    of: profile
                ) { nil }
        }
        let place = Location(latitude: 47, longitude: 8)
        #expect(
            try TriggerFactory(clock: devices.clock, location: place, pool: pool, logger: CaptureBench.logger).sources(
                of: profile
            ) { nil }.count == 1
        )
    }

    @Test(
        "003.13, 003.14: an order chooses still or live a shot, and refuses what is not its to choose",
        arguments: [
            (#"{"mode":"live","count":1}"#, true), ("", true), ("{}", true), (#"{"profile":"gate"}"#, true),
            (#"{"path":"/tmp/x.mov"}"#, false), (#"{"mode":"movie"}"#, false), (#"{"count":0}"#, false),
            (#"[]"#, false), ("nonsense", false),
        ]
    )
    func orders(json: String, isGood: Bool) throws {
        guard isGood else {
            let error = #expect(throws: AgentError.self) { try CaptureOrder(json: Array(json.utf8)) }
            #expect(error?.exit == .usage)
            return
        }
        let order = try CaptureOrder(json: Array(json.utf8))
        #expect(try order.applied(to: CaptureProfile(name: "x")).isLivePhoto == json.contains("live"))
    }
}
