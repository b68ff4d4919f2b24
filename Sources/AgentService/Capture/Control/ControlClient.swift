import FoundationEssentials
import LibraryClient
import Persistence

/// Calls to the agent that runs on this box.
struct ControlClient {
    /// A burst of 1,000 frames at a frame a second, and room to write them.
    private static let timeout = Duration.seconds(1200)

    private let transport: CurlTransport

    /// The agent that listens at a socket; nil when none does.
    init?(socketPath path: String) async throws {
        guard try PosixFileSystem().status(Path(path)) != nil else { return nil }
        var settings = CurlSettings(origin: .socketFile, trust: .socketFile(path: path))
        settings.stallTimeout = Self.timeout
        transport = try CurlTransport(settings)
        do throws(TransportError) {
            // A socket that a crash left behind takes no connection.
            _ = try await transport.send(TransportRequest("GET", "/v1/alive"))
        } catch {
            guard error.code != .unreachable else { return nil }
            throw AgentError(.failed, "the agent that runs here does not answer: \(error.message)")
        }
    }

    /// How the box stands, as JSON.
    func status() async throws -> [UInt8] {
        try await send(TransportRequest("GET", "/v1/status"))
    }

    /// Takes a shot.
    func capture(_ order: CaptureOrder) async throws -> CaptureDocument {
        var request = TransportRequest("POST", "/v1/captures", body: .bytes(try JSONText.bytes(order)))
        request.timeout = Self.timeout
        return try JSONDecoder().decode(CaptureDocument.self, from: Data(try await send(request)))
    }

    /// Says that something was changed beside the service: it looks at once.
    func wake() async throws {
        _ = try await send(TransportRequest("POST", "/v1/wake"))
    }

    private func send(_ request: TransportRequest) async throws -> [UInt8] {
        let answer = try await transport.send(request)
        if answer.status == 200 { return answer.body }
        guard let problem = try? JSONDecoder().decode(ControlProblem.self, from: Data(answer.body)) else {
            throw AgentError(.failed, "the agent that runs here answered \(answer.status)")
        }
        let exit = AgentExit.allCases.first { "\($0)" == problem.error } ?? .failed
        throw AgentError(exit, problem.message)
    }
}
