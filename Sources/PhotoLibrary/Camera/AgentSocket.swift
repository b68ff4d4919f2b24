package import LibraryClient
import Persistence

/// The socket of the agent that runs on this box: HTTP/1.1, described in `docs/agent-openapi.yaml`.
package struct AgentSocket: Sendable {
    /// The socket's name in the agent's folder.
    package static let fileName = "agent.sock"

    /// A burst of 1,000 frames at a frame a second, and room to write them; as long, an agent may be silent.
    private static let patience = Duration.seconds(1200)

    private let transport: CurlTransport

    /// A connection to a socket; nil where no agent has made it.
    ///
    /// - Throws: why the transport cannot be made.
    package init?(path: String) throws {
        guard try PosixFileSystem().status(Path(path)) != nil else { return nil }
        var settings = CurlSettings(origin: .socketFile, trust: .socketFile(path: path))
        settings.stallTimeout = Self.patience
        transport = try CurlTransport(settings)
    }

    /// Sends a request; the answer may take as long as a burst does, unless the request says otherwise.
    ///
    /// - Throws: `unreachable` where the agent that made the socket is gone.
    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        if request.timeout == nil, request.sink == nil { request.timeout = Self.patience }
        return try await transport.send(request)
    }

    /// Tells an agent that there is something to send; where none runs, or it does not answer, its next look finds it.
    package static func wake(_ path: String) async {
        guard let socket = try? AgentSocket(path: path) else { return }
        var request = TransportRequest("POST", "/v1/wake")
        request.timeout = .seconds(5)
        _ = try? await socket.send(request)
    }
}
