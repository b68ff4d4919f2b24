import AgentCapture
import FoundationEssentials
import LibraryClient
package import PhotoLibrary

/// Calls from the agent's own commands to the agent running on this box.
package struct ControlClient {
    private let socket: AgentSocket

    /// Connects to the agent listening at a socket; nil if no agent listens there.
    package init?(socketPath path: String) async throws {
        guard let socket = try AgentSocket(path: path) else { return nil }
        self.socket = socket
        do throws(TransportError) {
            // A socket left by a crash accepts no connections.
            _ = try await socket.send(TransportRequest("GET", "/v1/alive"))
        } catch {
            guard error.code != .unreachable else { return nil }
            throw AgentError(.failed, "the agent running here does not answer: \(error.message)")
        }
    }

    /// The box's status, as JSON.
    package func status() async throws -> [UInt8] {
        try await send(TransportRequest("GET", "/v1/status"))
    }

    /// Takes a shot.
    package func capture(_ order: CaptureOrder) async throws -> CaptureDocument {
        let request = TransportRequest("POST", "/v1/captures", body: .bytes(try JSONText.bytes(order)))
        return try JSONDecoder().decode(CaptureDocument.self, from: Data(try await send(request)))
    }

    /// Announces a change made by another process; the service checks at once.
    package func wake() async throws {
        _ = try await send(TransportRequest("POST", "/v1/wake"))
    }

    private func send(_ request: TransportRequest) async throws -> [UInt8] {
        let answer = try await socket.send(request)
        if answer.status == 200 { return answer.body }
        guard let problem = try? JSONDecoder().decode(ControlProblem.self, from: Data(answer.body)) else {
            throw AgentError(.failed, "the agent running here answered with status \(answer.status)")
        }
        let exit = AgentExit.allCases.first { "\($0)" == problem.error } ?? .failed
        throw AgentError(exit, problem.message)
    }
}
