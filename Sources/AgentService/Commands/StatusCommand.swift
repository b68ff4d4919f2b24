import AgentStore
import ArgumentParser
import Authorization
import BoxIdentity
import FoundationEssentials
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the state of this box, without asking the library.",
        discussion: """
            While tintype-agent run is at work here, it also says what its cameras do, and whether one of them records now.

            EXAMPLES
              tintype-agent status
              tintype-agent status --explain
              tintype-agent status --json
            """
    )

    @Flag(help: "Explains in words why entries wait and what to do next.")
    var explain = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let document: StatusDocument
        if let service = try await ControlClient(socketPath: try common.settings().socketPath) {
            document = try JSONDecoder().decode(StatusDocument.self, from: Data(try await service.status()))
        } else {
            document = try StatusDocument(try common.agent(isGuestWelcome: true))
        }
        if common.json { return Console.print(try JSONText.text(document)) }
        Console.print(Console.table(document.rows))
        if explain { document.explanations.forEach { Console.print($0) } }
    }
}

/// The box's status, as JSON.
struct StatusDocument: Codable {
    /// The progress of retiring a box.
    struct Retirement: Codable {
        /// Whether everything was delivered, and the box is no longer a device of the library.
        let isEnded: Bool
        /// Captures still to be sent.
        let remaining: Int

        fileprivate var words: String {
            guard !isEnded else { return "is over: the library has all that this box could deliver" }
            let left = remaining == 1 ? "1 capture" : "\(remaining) captures"
            return "takes nothing new; \(remaining == 0 ? "nothing" : left) left to send"
        }
    }

    let library: String?
    let deviceID: DeviceID?
    /// The beginning of the box's key fingerprint, by which administrators identify it; nil before it is a device.
    let fingerprint: String?
    let authorization: AuthorizationResponse?
    /// Why the library rejected the box's identity when last asked, or has not answered yet; nil if it accepted it.
    let identityHold: HoldReason?
    /// The library's last words about the box's enrolment; nil unless it is pending.
    let admission: String?
    let lastContact: WallTime?
    let queue: [String: Int]
    let waitingBytes: Int64
    let holds: [String: Int]
    let freeBytes: Int64
    /// Local changes that have not reached the library; nil from an older service.
    let waitingChanges: Int?
    /// Permanently refused local changes; nil from an older service.
    let refusedChanges: [String]?
    /// Saved assets not in their requested album, by reason; nil from an older service.
    let deferredAlbums: [String: Int]?
    /// Why captures find no room, and what to do; nil if they do.
    let noRoom: String?
    /// The progress of retiring the box; nil if it is not being retired.
    let retirement: Retirement?
    /// The service's cameras; nil if no service is running.
    let capture: CaptureStatus?

    init(_ agent: Agent, capture: CaptureStatus? = nil) throws {
        self.capture = capture
        let summary = try agent.store.summary()
        library = try agent.identity.pinned()?.url
        deviceID = try agent.identity.device()?.id
        fingerprint = try agent.identity.shortFingerprint
        authorization = try agent.store.fact(.authorization)
        let isAwaiting = try agent.identity.isAwaitingAdmission
        admission = isAwaiting ? try agent.store.fact(.admission) : nil
        identityHold = isAwaiting ? .pending : try agent.store.fact(.identityHold)
        lastContact = try agent.store.fact(.lastContact)
        queue = summary.states.mapValues(\.count)
        waitingBytes = summary.owed.byteCount
        // Nothing is sent before the box is a device, so everything waits for that.
        let holds = isAwaiting && summary.owed.count > 0 ? [.pending: summary.owed.count] : summary.holds
        self.holds = Dictionary(uniqueKeysWithValues: holds.map { ($0.key.rawValue, $0.value) })
        waitingChanges = try agent.store.changeCounts().waiting
        refusedChanges = try agent.store.refusedChanges(limit: 20).map { "\($0.entity.words): \($0.problem.detail)" }
        deferredAlbums = Dictionary(
            uniqueKeysWithValues: try agent.store.deferredAlbums().map { ($0.key.rawValue, $0.value) }
        )
        retirement = try agent.store.draining().map { .init(isEnded: $0.isEnded, remaining: summary.owed.count) }
        freeBytes = try PosixFileSystem().freeByteCount(agent.store.root)
        noRoom = try RefusedCapture.reason(in: agent.store, agent.limits)
    }

    var rows: [[String]] {
        var rows = [
            ["library", library ?? "none: tintype-agent enroll URL --token TOKEN"],
            ["device", deviceID?.description ?? "none yet"],
            ["fingerprint", fingerprint ?? "none yet"],
            ["last contact", lastContact?.description ?? "never"],
        ]
        if let retirement { rows.append(["retirement", retirement.words]) }
        if let identityHold {
            rows.append(["identity", identityHold.words])
        } else if let authorization {
            rows.append(["may add", authorization.addOnly.rawValue])
            let isLimited = AuthorizationStatus(untrusted: authorization.readWrite.rawValue) == .limited
            let more = isLimited ? ": a selection; tintype-agent selection expand asks for more" : ""
            rows.append(["may read and change", authorization.readWrite.rawValue + more])
        }
        for (state, count) in queue.sorted(by: { $0.key < $1.key }) { rows.append([state, "\(count)"]) }
        rows.append(["waiting", Console.size(waitingBytes)])
        if let count = waitingChanges, count > 0 { rows.append(["changes waiting", "\(count)"]) }
        if let refused = refusedChanges, !refused.isEmpty { rows.append(["changes refused", "\(refused.count)"]) }
        if noRoom != nil { rows.append(["captures", "find no room: tintype-agent status --explain"]) }
        rows.append(["free disk", Console.size(freeBytes)])
        return rows + (capture?.rows ?? [])
    }

    var explanations: [String] {
        var lines = holds.keys.sorted().compactMap(HoldReason.init(rawValue:)).map { reason in
            "\(holds[reason.rawValue] ?? 0) held (\(reason.rawValue)): \(reason.words). Next: \(reason.nextStep)."
        }
        if let identityHold {
            if holds[identityHold.rawValue] == nil {
                lines.append("This box: \(identityHold.words). Next: \(identityHold.nextStep).")
            }
            if let admission { lines.append("The library's last answer: \(Console.visible(admission)).") }
        } else if let next = authorization?.next, !next.isEmpty {
            lines.append(Console.visible(next))
        }
        if let dead = queue["deadLetter"], dead > 0 {
            lines.append(
                "\(dead) rejected permanently. Next: tintype-agent queue list --state deadLetter; then, once the problem is "
                    + "mended, queue retry, or queue export to take them away."
            )
        }
        for (reason, count) in (deferredAlbums ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(count) saved, and not in the album that was wished for (\(reason)): the library keeps the wish. Next: "
                    + "tintype-agent authorize --read-write, or an administrator's decision."
            )
        }
        if let noRoom { lines.append("Captures find no room: \(Console.visible(noRoom)).") }
        lines += (refusedChanges ?? []).map { "The library refused a change of \(Console.visible($0))" }
        if refusedChanges?.isEmpty == false {
            lines.append("Next, once you have read them: tintype-agent assets refused --forget.")
        }
        lines += capture?.explanations ?? []
        if lines.isEmpty { return ["Nothing waits for a reason."] }
        return lines.map { IdentityFolder.naming(fingerprint, in: $0) }
    }
}

extension CaptureStatus {
    /// Names and values for people.
    fileprivate var rows: [[String]] {
        var rows = [["recording", isRecording ? "yes" : "no"]]
        for camera in cameras {
            let profiles = camera.profiles.joined(separator: ", ")
            rows.append(["camera", "\(Console.visible(camera.device ?? camera.name)): \(camera.state) (\(profiles))"])
            rows.append(["  shots", camera.shots.words(inFlight: camera.inFlightCount)])
            let dropped = camera.droppedFrames.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            let late = camera.lateFrames > 0 ? ["\(camera.lateFrames) late"] : []
            let frames = "\(camera.keptFrames) kept"
            rows.append(["  frames", ([frames] + late + dropped).joined(separator: ", ")])
        }
        for folder in folders {
            rows.append(["folder", "\(Console.visible(folder.folder)): \(folder.taken) taken (\(folder.profile))"])
        }
        return rows
    }

    /// Why stopped parts are not running, in words.
    fileprivate var explanations: [String] {
        let waiting = cameras.compactMap { camera in
            camera.reason.map { "The camera \(camera.name) waits: \($0)" }
        }
        let problems = cameras.compactMap { camera in
            camera.shots.lastProblem.map { "The last capture of \(camera.name) failed: \($0)" }
        }
        let unwatched = folders.compactMap { folder in
            folder.problem.map { "The folder \(folder.folder) is not watched: \($0)" }
        }
        return (waiting + problems + unwatched).map(Console.visible)
    }
}

extension CaptureTally.Counts {
    fileprivate func words(inFlight: Int) -> String {
        let failures = failed.sorted { $0.key < $1.key }.map { "\($0.value) failed (\($0.key))" }
        let skipped = skippedMoments == 0 ? [] : ["\(skippedMoments) moments skipped"]
        let parts = ["\(taken) taken, \(livePhotos) of them live", "\(inFlight) under way"] + failures + skipped
        return parts.joined(separator: ", ")
    }
}
