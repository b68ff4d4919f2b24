import AgentStore
import ArgumentParser
import Authorization
import FoundationEssentials
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Says how this box stands, from what it knows itself.",
        discussion: """
            While tintype-agent run is at work here, it also says what its cameras do, and whether one of them records now.

            EXAMPLES
              tintype-agent status
              tintype-agent status --explain
              tintype-agent status --json
            """
    )

    @Flag(help: "Says in words why things wait and what to do next.")
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

/// How the box stands, as JSON.
struct StatusDocument: Codable {
    /// How a box is being retired.
    struct Retirement: Codable {
        /// Whether everything was delivered, and the box is none of the library's devices any more.
        let isEnded: Bool
        /// Captures that are still to be sent.
        let remaining: Int

        fileprivate var words: String {
            guard !isEnded else { return "is over: the library has all that this box could deliver" }
            let left = remaining == 1 ? "1 capture" : "\(remaining) captures"
            return "takes nothing new; \(remaining == 0 ? "nothing" : left) left to send"
        }
    }

    let library: String?
    let deviceID: DeviceID?
    let authorization: AuthorizationAnswer?
    /// Why the library did not take the box for this device when it was last asked; nil where it did.
    let identityHold: HoldReason?
    let lastContact: WallTime?
    let queue: [String: Int]
    let waitingBytes: Int64
    let holds: [String: Int]
    let freeBytes: Int64
    /// Changes that were made here and have not reached the library; nil from an older service.
    let waitingChanges: Int?
    /// Changes that the library refused for good; nil from an older service.
    let refusedChanges: [String]?
    /// How the box is being retired; nil while it is not.
    let retirement: Retirement?
    /// What the service's cameras do; nil when no service runs.
    let capture: CaptureStatus?

    init(_ agent: Agent, capture: CaptureStatus? = nil) throws {
        self.capture = capture
        let summary = try agent.store.summary()
        library = try agent.identity.pinned()?.url
        deviceID = try agent.identity.device()?.id
        authorization = try agent.store.fact(AgentStore.Fact.authorization)
        identityHold = try agent.store.fact(AgentStore.Fact.identityHold)
        lastContact = try agent.store.fact(AgentStore.Fact.lastContact)
        queue = summary.states.mapValues(\.count)
        waitingBytes = summary.owed.byteCount
        holds = Dictionary(uniqueKeysWithValues: summary.holds.map { ($0.key.rawValue, $0.value) })
        waitingChanges = try agent.store.changeCounts().waiting
        refusedChanges = try agent.store.refusedChanges(limit: 20).map { "\($0.entity.words): \($0.problem.detail)" }
        retirement = try agent.store.draining().map { .init(isEnded: $0.isEnded, remaining: summary.owed.count) }
        freeBytes = try PosixFileSystem().freeByteCount(agent.store.root)
    }

    var rows: [[String]] {
        var rows = [
            ["library", library ?? "none: tintype-agent enroll URL --token TOKEN"],
            ["device", deviceID?.description ?? "none yet"],
            ["last contact", lastContact?.description ?? "never"],
        ]
        if let retirement { rows.append(["retirement", retirement.words]) }
        if let identityHold {
            rows.append(["identity", identityHold.words])
        } else if let authorization {
            rows.append(["may add", authorization.addOnly.rawValue])
            rows.append(["may read and change", authorization.readWrite.rawValue])
        }
        for (state, count) in queue.sorted(by: { $0.key < $1.key }) { rows.append([state, "\(count)"]) }
        rows.append(["waiting", Console.size(waitingBytes)])
        if let count = waitingChanges, count > 0 { rows.append(["changes waiting", "\(count)"]) }
        if let refused = refusedChanges, !refused.isEmpty { rows.append(["changes refused", "\(refused.count)"]) }
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
        } else if let next = authorization?.next, !next.isEmpty {
            lines.append(Console.visible(next))
        }
        if let dead = queue["deadLetter"], dead > 0 {
            lines.append(
                "\(dead) refused for good. Next: tintype-agent queue list --state deadLetter; then, once the problem is "
                    + "mended, queue retry, or queue export to take them away."
            )
        }
        lines += (refusedChanges ?? []).map { "The library refused a change of \(Console.visible($0))" }
        lines += capture?.explanations ?? []
        return lines.isEmpty ? ["Nothing waits for a reason."] : lines
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

    /// Why what does not run does not, in words.
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
