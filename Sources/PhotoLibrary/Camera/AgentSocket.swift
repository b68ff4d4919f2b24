package import LibraryClient
import Persistence

/// The socket of the agent running on this box: HTTP/1.1, described in `docs/agent-openapi.yaml`.
package struct AgentSocket: Sendable {
    /// The socket's name in the agent's folder.
    package static let fileName = "agent.sock"

    /// A burst of 1,000 frames at a frame a second, plus time to write them; an agent may be silent for that long.
    private static let patience = Duration.seconds(1200)

    private let transport: CurlTransport

    /// Connects to a socket; nil if no agent has created it.
    ///
    /// - Throws: why the transport cannot be created.
    package init?(path: String) throws {
        guard try PosixFileSystem().status(Path(path)) != nil else { return nil }
        var settings = CurlSettings(origin: .socketFile, trust: .socketFile(path: path))
        settings.stallTimeout = Self.patience
        transport = try CurlTransport(settings)
    }

    /// Sends a request; the response may take as long as a burst, unless the request says otherwise.
    ///
    /// - Throws: `unreachable` if the agent that created the socket is gone.
    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        if request.timeout == nil, request.sink == nil { request.timeout = Self.patience }
        return try await transport.send(request)
    }

    /// Notifies an agent that there is something to send; if none responds, its next check finds it.
    package static func wake(_ path: String) async {
        guard let socket = try? AgentSocket(path: path) else { return }
        var request = TransportRequest("POST", "/v1/wake")
        request.timeout = .seconds(5)
        _ = try? await socket.send(request)
    }
}
