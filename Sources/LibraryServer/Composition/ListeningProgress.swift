import Logging
import Synchronization

/// Waits for both listeners, then reports their addresses.
final class ListeningProgress: Sendable {
    private struct State {
        var port: Int?
        var isSocketOpen = false
    }

    private let host: String
    private let socket: OperatorSocket
    private let logger: Logger
    private let report: @Sendable (LibraryServer.Listening) -> Void
    private let state = Mutex(State())

    init(
        host: String,
        socket: OperatorSocket,
        logger: Logger,
        report: @escaping @Sendable (LibraryServer.Listening) -> Void
    ) {
        self.host = host
        self.socket = socket
        self.logger = logger
        self.report = report
    }

    /// Devices can connect at this port.
    func devicesListen(port: Int?) { reportIfComplete { $0.port = port } }

    /// The operators' socket is bound, and gets its final name.
    func operatorsListen() {
        do {
            try socket.publish()
            reportIfComplete { $0.isSocketOpen = true }
        } catch {
            logger.error(
                "the operators' socket cannot be opened",
                metadata: ["error": "\(error)", "path": "\(socket.path)"]
            )
        }
    }

    private func reportIfComplete(after change: (inout State) -> Void) {
        let port = state.withLock { state in
            change(&state)
            return state.isSocketOpen ? state.port : nil
        }
        guard let port else { return }
        let address = ListenAddress(host: host, port: port)
        logger.notice("listening", metadata: ["address": "\(address)", "socket": "\(socket.path)"])
        report(LibraryServer.Listening(address: address, socketPath: socket.path))
    }
}
