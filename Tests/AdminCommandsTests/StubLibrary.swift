import FoundationEssentials
import LibraryAPI
import LibraryClient
import PhotoModel
import Synchronization
import Terminal

@testable import AdminCommands

/// A library that answers from a table and remembers what was asked.
final class StubLibrary: Transport {
    private struct State {
        var answers: [String: [UInt8]] = [:]
        var refusals: [String: ProblemDetails] = [:]
        var requests: [(line: String, body: String)] = []
    }

    private let state = Mutex(State())
    private let failure: TransportError?
    private let problem: ProblemDetails?

    init(failure: TransportError? = nil, problem: ProblemDetails? = nil) {
        self.failure = failure
        self.problem = problem
    }

    /// What was asked: method and target, and the body as text.
    var requests: [(line: String, body: String)] { state.withLock { $0.requests } }

    /// Answers a request, such as `GET /v1/admin/devices`, with JSON.
    func answer(_ line: String, with value: some Encodable) throws {
        let encoded = Array(try JSONEncoder().encode(value))
        state.withLock { $0.answers[line] = encoded }
    }

    /// Refuses a request.
    func refuse(_ line: String, _ problem: ProblemDetails) {
        state.withLock { state in
            state.answers[line] = nil
            state.refusals[line] = problem
        }
    }

    /// Answers a request with nothing, as routes that only do something.
    func accept(_ line: String) { state.withLock { $0.answers[line] = Array("{}".utf8) } }

    /// Answers a request with bytes.
    func answer(_ line: String, bytes: [UInt8]) { state.withLock { $0.answers[line] = bytes } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if let failure { throw failure }
        if let problem { return Self.refusal(problem) }
        let line = "\(request.method) \(request.target)"
        var body = ""
        if case .bytes(let bytes) = request.body { body = String(decoding: bytes, as: UTF8.self) }
        let (answer, refusal) = state.withLock { state in
            state.requests.append((line, body))
            return (state.answers[line], state.refusals[line])
        }
        guard let answer else {
            if let refusal { return Self.refusal(refusal) }
            return Self.refusal(ProblemDetails(.notFound, "There is no \(line)."))
        }
        if let sink = request.sink {
            do {
                for start in stride(from: 0, to: answer.count, by: 1000) {
                    try sink(Array(answer[start...].prefix(1000)))
                }
            } catch {
                throw TransportError(.localFailure, "\(error)")
            }
            return TransportResponse(status: 200)
        }
        return TransportResponse(status: 200, fields: [("Content-Type", "application/json")], body: answer)
    }

    private static func refusal(_ problem: ProblemDetails) -> TransportResponse {
        let body = (try? JSONEncoder().encode(problem)).map(Array.init) ?? []
        return TransportResponse(
            status: problem.status,
            fields: [("Content-Type", ProblemDetails.contentType)],
            body: body
        )
    }
}

/// How a command line ended.
struct CommandOutcome {
    let status: Int32
    let output: String
    let notes: String
}

/// Runs command lines against a stub, without a process.
struct CommandRunner {
    static let now = WallTime(microsecondsSince1970: 1_790_000_000_000_000)

    let library: any Transport
    /// What answers in place of a server that is no library.
    var foreign: (any Transport)?
    var files: [String: [UInt8]] = [:]
    var reply: String?
    /// What is answered one after the other; the last one again and again.
    var replies: [String?] = []
    var isAsked = false
    var environment: [String: String] = [:]
    var terminal = TerminalTraits()
    /// What happens while a command sleeps, which takes no time.
    var sleep: @Sendable (Duration) -> Void = { _ in }

    func run(_ arguments: [String]) async -> CommandOutcome {
        let (library, foreign, files, sleep) = (library, foreign, files, sleep)
        let replies = Mutex(replies.isEmpty ? [reply] : replies)
        let written = WrittenText()
        var session = AdminSession(
            connect: { _ in LibraryClient(library) },
            connectForeign: { _ in foreign ?? library },
            now: { Self.now },
            environment: environment,
            hostName: "photos",
            read: { path in
                guard let bytes = files[path] else { throw CocoaError(.fileReadNoSuchFile) }
                return bytes
            },
            terminal: terminal,
            output: { written.add(output: $0) },
            note: { written.add(note: $0) },
            sleep: { sleep($0) },
            replaceProcess: { program, arguments in
                written.add(output: ([program] + arguments).joined(separator: " ") + "\n")
            }
        )
        if isAsked {
            session.ask = { question in
                written.add(note: question)
                return replies.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? nil }
            }
        }
        let status = await AdminSession.$current.withValue(session) { await AdminCommand.execute(arguments) }
        return CommandOutcome(status: status, output: written.output, notes: written.notes)
    }
}

/// What a command wrote.
private final class WrittenText: Sendable {
    private let texts = Mutex((output: "", notes: ""))

    var output: String { texts.withLock { $0.output } }
    var notes: String { texts.withLock { $0.notes } }

    func add(output text: String) { texts.withLock { $0.output += text } }
    func add(note text: String) { texts.withLock { $0.notes += text } }
}
