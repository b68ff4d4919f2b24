import LibraryClient
import Persistence

/// Tells the agent that runs on this box that there is something to do.
struct AgentWaker: Sendable {
    let socketPath: String

    /// Rings; where no agent runs, or it does not answer, its next look finds what there is.
    func ring() async {
        guard (try? PosixFileSystem().status(Path(socketPath))) != nil,
            let transport = try? CurlTransport(CurlSettings(origin: .socketFile, trust: .socketFile(path: socketPath)))
        else { return }
        var request = TransportRequest("POST", "/v1/wake")
        request.timeout = .seconds(5)
        _ = try? await transport.send(request)
    }
}
