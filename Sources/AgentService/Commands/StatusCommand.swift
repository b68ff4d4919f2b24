import AgentStore
import ArgumentParser
import Authorization
import FoundationEssentials
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Says how this box stands, from what it knows itself.",
        discussion: """
            EXAMPLES
              tintype-agent status
              tintype-agent status --explain
            """
    )

    @Flag(help: "Says in words why things wait and what to do next.")
    var explain = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent()
        let document = try StatusDocument(agent)
        if common.json { return Console.print(try JSONText.text(document)) }
        Console.print(Console.table(document.rows))
        if explain { document.explanations.forEach { Console.print($0) } }
    }
}

/// How the box stands, as JSON.
struct StatusDocument: Encodable {
    let library: String?
    let deviceID: DeviceID?
    let authorization: AuthorizationAnswer?
    let lastContact: WallTime?
    let queue: [String: Int]
    let waitingBytes: Int64
    let holds: [String: Int]
    let freeBytes: Int64

    init(_ agent: Agent) throws {
        let summary = try agent.store.summary()
        library = try agent.identity.pinned()?.url
        deviceID = try agent.identity.device()?.id
        authorization = try agent.store.fact(LibraryGateway.Fact.authorization)
        lastContact = try agent.store.fact(LibraryGateway.Fact.lastContact)
        queue = summary.states.mapValues(\.count)
        waitingBytes = summary.owed.byteCount
        holds = Dictionary(uniqueKeysWithValues: summary.holds.map { ($0.key.rawValue, $0.value) })
        freeBytes = try PosixFileSystem().freeByteCount(agent.store.root)
    }

    var rows: [[String]] {
        var rows = [
            ["library", library ?? "none: tintype-agent enroll URL --token TOKEN"],
            ["device", deviceID?.description ?? "none yet"],
            ["last contact", lastContact?.description ?? "never"],
        ]
        if let authorization {
            rows.append(["may add", authorization.addOnly.rawValue])
            rows.append(["may read and change", authorization.readWrite.rawValue])
        }
        for (state, count) in queue.sorted(by: { $0.key < $1.key }) { rows.append([state, "\(count)"]) }
        rows.append(["waiting", Console.size(waitingBytes)])
        rows.append(["free disk", Console.size(freeBytes)])
        return rows
    }

    var explanations: [String] {
        var lines = holds.keys.sorted().compactMap(HoldReason.init(rawValue:)).map { reason in
            "\(holds[reason.rawValue] ?? 0) held (\(reason.rawValue)): \(reason.words). Next: \(reason.nextStep)."
        }
        if let next = authorization?.next, !next.isEmpty { lines.append(Console.visible(next)) }
        if let dead = queue["deadLetter"], dead > 0 {
            lines.append("\(dead) refused for good. Next: tintype-agent queue list --state deadLetter.")
        }
        return lines.isEmpty ? ["Nothing waits for a reason."] : lines
    }
}

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks settings, identity, disk and the way to the library, and says what to mend.",
        discussion: """
            EXAMPLE
              tintype-agent doctor
            """
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent()
        var findings: [Finding] = []
        func check(_ name: String, _ call: () async throws -> String) async {
            do {
                findings.append(Finding(check: name, isGood: true, detail: try await call()))
            } catch {
                findings.append(Finding(check: name, isGood: false, detail: Console.words(error)))
            }
        }
        await check("settings") {
            _ = try AgentSettings.required(agent.settings.addUsage, "library.add.usage")
            return "complete for saving"
        }
        await check("disk") {
            let free = try PosixFileSystem().freeByteCount(agent.store.root)
            guard free > Int64(agent.settings.reserveBytes) else {
                throw AgentError(.full, "\(Console.size(free)) free, less than queue.reserveBytes: free space")
            }
            return "\(Console.size(free)) free at \(agent.store.root)"
        }
        await check("identity") {
            guard let device = try agent.identity.device() else {
                throw AgentError(.configuration, "no device yet: tintype-agent enroll URL --token TOKEN")
            }
            return "device \(device.id); the key is a file that only its owner reads, not sealed by hardware"
        }
        await check("library") {
            let state = try await agent.client().identityState()
            return "\(try agent.identity.pinned()?.url ?? "?") knows this device as \(state.state.rawValue)"
        }
        if common.json {
            Console.print(try JSONText.text(findings))
        } else {
            Console.print(
                Console.table(findings.map { [$0.isGood ? "ok" : "MEND", $0.check, Console.visible($0.detail)] })
            )
        }
        if findings.contains(where: { !$0.isGood }) { Console.end(.failed) }
    }

    private struct Finding: Encodable {
        let check: String
        let isGood: Bool
        let detail: String
    }
}
