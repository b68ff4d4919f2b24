import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Authorization
import BoxIdentity
import FoundationEssentials
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Terminal

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "status",
        "Shows the state of this box, without asking the library.",
        "While tintype-agent run is running here, it also shows its cameras, and whether one of them is recording.",
        examples: ["tintype-agent status", "tintype-agent status --explain", "tintype-agent status --json"]
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

extension HoldReason {
    /// The reason in words, with when the library first told it, if that is known.
    func words(since time: WallTime?) -> String { words + (time.map { ", as the library said at \($0)" } ?? "") }
}

extension StatusDocument.Retirement {
    fileprivate var words: String {
        guard !isEnded else { return "is over: the library has all that this box could deliver" }
        let left = remaining == 1 ? "1 capture" : "\(remaining) captures"
        return "takes nothing new; \(remaining == 0 ? "nothing" : left) left to send"
    }
}

extension StatusDocument {
    var rows: [[String]] {
        var rows = [
            ["library", library ?? "none: tintype-agent enroll URL --token TOKEN"],
            ["device", deviceID?.description ?? "none yet"],
            ["fingerprint", fingerprint ?? "none yet"],
            ["last contact", lastContact?.description ?? "never"],
        ]
        if let retirement { rows.append(["retirement", retirement.words]) }
        if let identityHold {
            rows.append(["identity", identityHold.words(since: revokedAt)])
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
                    + "fixed, queue retry, or queue export to move them elsewhere."
            )
        }
        for (reason, count) in (deferredAlbums ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(count) saved, but not in the requested album (\(Console.visible(reason))): the library keeps the request. Next: "
                    + "tintype-agent authorize --read-write, or an administrator's decision."
            )
        }
        if let noRoom { lines.append("Captures find no room: \(Console.visible(noRoom)).") }
        lines += (refusedChanges ?? []).map { "The library refused a change of \(Console.visible($0))" }
        if refusedChanges?.isEmpty == false {
            lines.append("Next, once you have read them: tintype-agent assets refused --forget.")
        }
        lines += capture?.explanations ?? []
        if lines.isEmpty { return ["Nothing is held back."] }
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
        let parts = ["\(taken) taken, \(livePhotos) of them live", "\(inFlight) in progress"] + failures + skipped
        return parts.joined(separator: ", ")
    }
}
