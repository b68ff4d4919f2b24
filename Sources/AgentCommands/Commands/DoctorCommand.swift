import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Authorization
import BoxIdentity
import Capture
import CaptureLinux
import DeviceIdentity
import FoundationEssentials
import Glibc
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Settings
import Terminal

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "doctor",
        "Checks settings, devices, identity, disk and the connection to the library, and says what to fix.",
        """
        No camera or microphone is opened for pictures or sound. A line begins with ok, MEND (needs fixing), or note \
        (no action needed).
        """,
        examples: ["tintype-agent doctor", "tintype-agent doctor --json"],
        exitStatuses: [0: "nothing to mend", 1: "something to mend", 78: "the settings cannot be read"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try common.settings()
        var findings = [Finding("settings") { try settingsFinding(settings) }]
        do {
            findings += try await deviceFindings(settings)
        } catch {
            findings.append(Finding(.bad, "devices", "\(error)"))
        }
        findings.append(Finding("disk") { try diskFinding(settings) })
        findings.append(atRestFinding(settings))
        do {
            if try await ControlClient(socketPath: settings.socketPath) != nil {
                findings.append(Finding(.good, "service", "tintype-agent run is running, and has the queue open"))
            }
        } catch {
            findings.append(Finding(.bad, "service", "\(error); \(Self.userAdvice)"))
        }
        findings += queueFindings(settings)
        findings += await libraryFindings(settings)
        if common.json {
            Console.print(try JSONText.text(findings))
        } else {
            Console.print(Console.table(findings.map { [$0.verdict.mark, $0.check, Console.visible($0.detail)] }))
        }
        if findings.contains(where: { $0.verdict == .bad }) { Console.end(.failed) }
    }

    private func settingsFinding(_ settings: AgentSettings) throws -> String {
        let profiles = try settings.capture.profiles.map { try settings.profile(named: $0) }
        _ = try CameraPlan.plans(for: profiles)
        let names = profiles.map(\.name).joined(separator: ", ")
        return profiles.isEmpty ? "no profile: the service captures on command only" : "profiles \(names)"
    }

    /// Each device: whether it may be used, and whether its usage text is set.
    private func deviceFindings(_ settings: AgentSettings) async throws -> [Finding] {
        let provider = try settings.captureSessions()
        let cameras = await provider.devices.cameras().map(\.device)
        let devices = cameras + (await provider.devices.microphones()).map(\.device)
        var findings: [Finding] = []
        for device in devices where !ConsentFile.synthetic.contains(device.id) {
            let name = "\(device.capability.rawValue) \(device.id.rawValue)"
            let status = try await provider.consents.status(
                for: ConsentSubject(capability: device.capability, deviceID: device.id)
            )
            let usage = device.capability == .camera ? settings.cameraUsage : settings.microphoneUsage
            let key = "capture.\(device.capability.rawValue).usage"
            if usage == nil {
                findings.append(Finding(.bad, name, "the setting \(key) is missing: say in one line why it is used"))
            } else if status != .authorized {
                let next = "tintype-agent consent set \(device.capability.rawValue) authorized"
                findings.append(Finding(.bad, name, "using it is \(status.rawValue): \(next)"))
            } else {
                findings.append(Finding(.good, name, "may be used"))
            }
        }
        let hasCamera = cameras.contains { !ConsentFile.synthetic.contains($0.id) }
        let (sensors, problems) = await (provider.devices.sensors(), provider.devices.problems())
        return findings + Self.cameraFindings(hasCamera: hasCamera, sensors, problems)
    }

    /// Remarks beside the usable cameras: named cameras that are missing, bare sensors, and a box without any.
    static func cameraFindings(hasCamera: Bool, _ sensors: [MediaController], _ problems: [CaptureError]) -> [Finding] {
        if !hasCamera, sensors.isEmpty, problems.isEmpty {
            return [Finding(.note, "camera", "no real one is plugged in: the synthetic one is used")]
        }
        return problems.map { Finding(.bad, "camera", $0.message) }
            + sensors.map { Finding(hasCamera ? .note : .bad, "camera", $0.advice) }
    }

    private func diskFinding(_ settings: AgentSettings) throws -> String {
        try FolderOwner.check(Path(settings.path))
        var folder = Path(settings.path)
        while try PosixFileSystem().status(folder) == nil, folder.parent != folder { folder = folder.parent }
        let isThere = folder == Path(settings.path)
        // Checked for the user running the command only.
        guard unsafe access(folder.text, W_OK | X_OK | (isThere ? R_OK : 0)) == 0 else {
            let what = isThere ? "use the agent's folder \(folder)" : "make the agent's folder \(settings.path)"
            throw AgentError(.failed, "this user may not \(what): \(Self.userAdvice)")
        }
        let free = try PosixFileSystem().freeByteCount(folder)
        guard free > Int64(settings.reserveBytes) else {
            throw AgentError(.full, "\(Console.size(free)) free, less than queue.reserveBytes: free space")
        }
        return "\(Console.size(free)) free at \(folder)"
    }

    private static let userAdvice =
        "run this as the agent's user (sudo -u tintype-agent tintype-agent doctor), or set another agent.path"

    /// Whether captures find room in the queue, and leave it; nothing if there is no queue yet, or it cannot be read.
    private func queueFindings(_ settings: AgentSettings) -> [Finding] {
        let root = Path(settings.path)
        guard (try? PosixFileSystem().status(root.appending("state.sqlite"))) ?? nil != nil,
            let store = try? AgentStore(guestAt: root)
        else { return [] }
        var findings: [Finding] = []
        if let reason = try? RefusedCapture.reason(in: store, settings.limits) {
            findings.append(Finding(.bad, "queue", "captures find no room: \(reason)"))
        }
        if let dead = try? store.summary(ofOpenOnly: true).states["deadLetter"]?.count, dead > 0 {
            findings.append(
                Finding(.bad, "queue", "\(dead) rejected permanently: see tintype-agent queue list --state deadLetter")
            )
        }
        return findings
    }

    /// What someone with this box's disk can read.
    private func atRestFinding(_ settings: AgentSettings) -> Finding {
        let root = Path(settings.path)
        let identity = IdentityFolder(in: root)
        do {
            _ = try identity.queueFileSystem(at: root, isEncrypting: nil)
        } catch {
            return Finding(.bad, "at rest", "\(error)")
        }
        let sealing = identity.sealing
        let key =
            switch sealing.identityKey {
            case .hardware: "the box's key is sealed by its TPM"
            case .fileMode: "the box's key is a file that only its owner can read"
            case nil: "the box has no key yet"
            }
        switch (settings.isQueueEncrypted, sealing.queueKey) {
        case (true, .hardware):
            return Finding(
                .good,
                "at rest",
                "captures are encrypted by a key that the TPM seals, \(key); names, times, places and the view are not"
            )
        case (true, _):
            return Finding(
                .note,
                "at rest",
                "captures are encrypted, but their key is stored beside them, since this box has no usable TPM: "
                    + "anyone with the disk can read them; \(key); names, times, places and the view are not encrypted"
            )
        case (false, _):
            return Finding(.note, "at rest", "captures are not encrypted (queue.encryption is off); \(key)")
        }
    }

    private func libraryFindings(_ settings: AgentSettings) async -> [Finding] {
        let identity = IdentityFolder(in: Path(settings.path))
        let library: IdentityFolder.Pinned?
        do {
            library = try identity.pinned()
        } catch {
            return [Finding(.bad, "library", "\(error); \(Self.userAdvice)")]
        }
        guard let pinned = library else {
            return [
                Finding(
                    .note,
                    "library",
                    "none yet; captures wait in the queue: tintype-agent enroll URL --token TOKEN"
                )
            ]
        }
        var findings = [
            Finding("usage") {
                _ = try UsageText.required(settings.addUsage, "library.add.usage")
                return "says why the device saves"
            },
            Finding("identity") {
                let device = try identity.admission().device.id
                return "device \(device), fingerprint \(try identity.shortFingerprint ?? "none")"
            },
        ]
        do {
            let transport = try CurlTransport(identity.curlSettings(proxy: settings.proxy))
            let state = try await LibraryClient(transport).identityState()
            let detail = "\(pinned.url) knows this device as \(state.state.rawValue)"
            let hold: HoldReason? =
                switch state.state {
                case .revoked: .revoked
                case .suspect: .suspect
                case .pending: .pending
                default: nil
                }
            if let hold {
                findings.append(Finding(.bad, "library", "\(detail): \(hold.words); \(identity.naming(hold.nextStep))"))
            } else {
                findings.append(Finding(.good, "library", detail))
            }
        } catch let error as LibraryClientError {
            var words = "\(error)"
            if case .transport(.unreachable) = error.code {
                words += "; check that the server runs and this box reaches it: curl -k \(pinned.url)/v1/ca"
            }
            findings.append(Finding(.bad, "library", words))
        } catch {
            findings.append(Finding(.bad, "library", "\(error)"))
        }
        return findings
    }

    /// The result of one check.
    struct Finding: Encodable {
        enum Verdict: String, Encodable {
            case good, note, bad

            var mark: String {
                switch self {
                case .good: "ok"
                case .note: "note"
                case .bad: "MEND"
                }
            }
        }

        let verdict: Verdict
        let check: String
        let detail: String

        init(_ verdict: Verdict, _ check: String, _ detail: String) {
            self.verdict = verdict
            self.check = check
            self.detail = detail
        }

        /// Runs a check: its result, or its error.
        init(_ check: String, _ call: () throws -> String) {
            do {
                self.init(.good, check, try call())
            } catch {
                self.init(.bad, check, "\(error)")
            }
        }
    }
}
