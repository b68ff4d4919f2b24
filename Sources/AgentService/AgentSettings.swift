package import AgentCapture
package import AgentStore
import Authorization
package import Capture
package import Logging
package import Observability
import Persistence
import PhotoLibrary
package import Settings
package import SyncEngine

/// All settings of an agent, from `config/agent.yaml`, the environment and flags.
package struct AgentSettings: Sendable {
    /// The folder of queue and identity (`agent.path`, default `/var/lib/tintype-agent`).
    package var path: String
    /// The running agent's socket for programs on the box (`agent.socket`, at most 107 bytes, default `agent.sock` in
    /// `agent.path`).
    package var socketPath: String
    /// The device's name (`agent.name`, 1 to 256 bytes, default the host's name).
    package var name: String
    /// Why the device saves into the library (`library.add.usage`, one line, at most 280 characters, no default).
    package var addUsage: String?
    /// Why the device reads and changes the library (`library.readWrite.usage`, as above).
    package var readWriteUsage: String?
    /// Why the camera is used (`capture.camera.usage`, as above).
    package var cameraUsage: String?
    /// Why the microphone is used (`capture.microphone.usage`, as above).
    package var microphoneUsage: String?
    /// The camera by its identity (`capture.device`, default the first real one, else the synthetic one).
    package var camera: String?
    /// Who decides about cameras and microphones (`capture.consent`: `ask` asks a person at the terminal, `authorized`
    /// allows them until a person refuses, `restricted` never allows them; default ask).
    package var consentPolicy: ConsentFile.Policy
    /// Capture settings besides the profiles (`capture.…`).
    package var capture: CaptureSettings
    /// The album that captures join (`library.album`, default none).
    package var album: String?
    /// Whether a limited device never asks for a larger selection unprompted (`library.preventAutomaticLimitedPrompt`,
    /// default true); otherwise it does at most once a day, with `library.readWrite.usage` as its reason.
    package var preventsAutomaticLimitedPrompt: Bool
    /// The proxy (`library.proxy`, a URL, default none; the environment's proxies are ignored).
    package var proxy: String?
    /// Concurrent requests (`sync.parallelRequests`, 1 to 16, default 6).
    package var parallelRequests: Int
    /// Bytes per append (`sync.appendBytes`, 65,536 to 8,388,608, default 8,388,608).
    package var appendBytes: Int
    /// The total send rate in bytes per second (`sync.bytesPerSecond`, 0 for no cap, default 0).
    package var bytesPerSecond: Int
    /// The local hours in which sending is allowed (`sync.allowedHours`, `HH:MM-HH:MM`, default always).
    package var allowedHours: AllowedMinutes?
    /// Metered network interfaces (`sync.meteredInterfaces`, names, with a trailing `*` as a wildcard; default `ww*`,
    /// mobile modems).
    package var meteredInterfaces: [String]
    /// The largest photo or movie sent over such a link, in bytes (`sync.meteredBytes`, 0 for none at all, default
    /// 8,388,608).
    package var meteredBytes: Int
    /// The interval between comparisons of the box's view with the library's (`sync.compareHours`, 0 for never, to
    /// 8,760; default 24).
    package var comparisonInterval: Duration?
    /// The interval between contacts while captures wait, and without a library's wish between idle ones
    /// (`sync.contactIntervalSeconds`, 5 to 86,400, default 60).
    package var contactInterval: Duration
    /// The most bytes of originals on the box (`queue.maximumBytes`, 0 for no limit, default 0).
    package var maximumQueueBytes: Int
    /// The largest share that originals may have of themselves plus the free space, in percent (`queue.maximumPercent`,
    /// 0 for no limit, default 0).
    package var maximumQueuePercent: Int
    /// Whether a full queue drops its oldest acknowledged originals (`queue.whenFull`: `stop` or `dropSaved`, default
    /// `stop`).
    package var dropsSavedWhenFull: Bool
    /// Whether captures are encrypted on the box's disk, and keys sealed by a TPM if there is one (`queue.encryption`:
    /// `on` or `off`, default `off`).
    package var isQueueEncrypted: Bool
    /// Bytes of the disk that must stay free (`queue.reserveBytes`, 1,048,576 to 2^40, default 67,108,864).
    package var reserveBytes: Int
    /// Days that bytes are kept after their receipt (`queue.retentionDays`, 0 to 3,650, default 7).
    package var retentionDays: Int
    /// The lowest level logged (`log.level`, default info).
    package var logLevel: Logger.Level
    /// The format of log lines (`log.format`: `text` for people, `json` for programs; default text).
    package var logFormat: LogFormat

    /// Reads all settings, and refuses unknown ones; the host's name is the default of `agent.name`.
    ///
    /// - Throws: `invalidValue`, `unknownKey`.
    package init(from reader: SettingsReader, hostName: String) throws(SettingsError) {
        var reader = reader
        path = reader.text("agent.path", default: "/var/lib/tintype-agent")
        let socket = try reader.value("agent.socket", default: "", expected: "a path of at most 107 bytes") {
            $0.utf8.count <= 107 ? $0 : nil
        }
        socketPath = socket.isEmpty ? "\(path)/\(AgentSocket.fileName)" : socket
        name = reader.text("agent.name", default: hostName)
        addUsage = try Self.usage("library.add.usage", &reader)
        readWriteUsage = try Self.usage("library.readWrite.usage", &reader)
        cameraUsage = try Self.usage("capture.camera.usage", &reader)
        microphoneUsage = try Self.usage("capture.microphone.usage", &reader)
        camera = reader.text("capture.device")
        consentPolicy = try reader.choice("capture.consent", default: .ask)
        capture = try CaptureSettings(&reader)
        album = reader.text("library.album")
        preventsAutomaticLimitedPrompt = try reader.flag("library.preventAutomaticLimitedPrompt", default: true)
        proxy = reader.text("library.proxy")
        parallelRequests = try reader.number("sync.parallelRequests", default: 6, in: 1...16)
        appendBytes = try reader.number("sync.appendBytes", default: 8 << 20, in: (64 << 10)...(8 << 20))
        bytesPerSecond = try reader.number("sync.bytesPerSecond", default: 0, in: 0...(1 << 40))
        allowedHours = try reader.value(
            "sync.allowedHours",
            expected: "two times of day such as 22:00-06:00"
        ) { AllowedMinutes($0) }
        meteredInterfaces = reader.texts("sync.meteredInterfaces", default: ["ww*"])
        meteredBytes = try reader.number("sync.meteredBytes", default: 8 << 20, in: 0...(1 << 40))
        let hours = try reader.number("sync.compareHours", default: 24, in: 0...8760)
        comparisonInterval = hours > 0 ? .seconds(hours * 3600) : nil
        contactInterval = try .seconds(reader.number("sync.contactIntervalSeconds", default: 60, in: 5...86_400))
        maximumQueueBytes = try reader.number("queue.maximumBytes", default: 0, in: 0...(1 << 50))
        maximumQueuePercent = try reader.number("queue.maximumPercent", default: 0, in: 0...100)
        dropsSavedWhenFull = try reader.value("queue.whenFull", default: false, expected: "stop or dropSaved") {
            ["stop": false, "dropSaved": true][$0]
        }
        isQueueEncrypted = try reader.value("queue.encryption", default: false, expected: "on or off") {
            ["on": true, "off": false][$0]
        }
        reserveBytes = try reader.number("queue.reserveBytes", default: 64 << 20, in: (1 << 20)...(1 << 40))
        retentionDays = try reader.number("queue.retentionDays", default: 7, in: 0...3650)
        logLevel = try reader.choice("log.level", default: .info)
        logFormat = try reader.choice("log.format", default: .text)
        try reader.finish()
    }

    /// The sync policy from these settings.
    package var syncPolicy: SyncPolicy {
        var policy = SyncPolicy()
        policy.parallelRequests = parallelRequests
        policy.appendByteCount = Int64(appendBytes)
        policy.contactInterval = contactInterval
        policy.allowedMinutes = allowedHours
        policy.meteredByteCount = Int64(meteredBytes)
        return policy
    }

    /// The queue's space limits.
    package var limits: SpaceLimits {
        SpaceLimits(
            maximumByteCount: maximumQueueBytes > 0 ? Int64(maximumQueueBytes) : nil,
            reserveByteCount: Int64(reserveBytes),
            maximumPercent: maximumQueuePercent > 0 ? maximumQueuePercent : nil,
            dropsSaved: dropsSavedWhenFull
        )
    }

    /// A profile, by its name in the profiles folder or a file's path, with these settings as defaults.
    ///
    /// - Throws: `configuration` if it does not exist, `SettingsError` if it is invalid.
    package func profile(named name: String) throws -> CaptureProfile {
        try CaptureProfile(named: name, in: Path(capture.profileFolder), camera: cameraID, album: album)
    }

    /// The profile without a file: stills on command, with the camera and album of these settings.
    package var standardProfile: CaptureProfile {
        var profile = CaptureProfile(name: "")
        profile.camera = cameraID
        profile.album = album
        return profile
    }

    /// Why cameras and microphones are used.
    package var captureUsage: [CaptureDevice.Capability: String] {
        let texts: [CaptureDevice.Capability: String?] = [.camera: cameraUsage, .microphone: microphoneUsage]
        return texts.compactMapValues(\.self)
    }

    private var cameraID: CaptureDevice.ID? { camera.map { CaptureDevice.ID(rawValue: $0) } }

    private static func usage(_ key: String, _ reader: inout SettingsReader) throws(SettingsError) -> String? {
        guard let text = reader.text(key) else { return nil }
        if let problem = UsageText.problem(in: text) {
            throw SettingsError(.invalidValue, "\(key) \(problem.rawValue): say in one line why this device needs it")
        }
        return text
    }
}
