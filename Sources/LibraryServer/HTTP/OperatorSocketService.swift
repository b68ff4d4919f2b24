import ServiceLifecycle

/// Removes the operators' socket when the server stops.
struct OperatorSocketService: Service {
    let socket: OperatorSocket

    func run() async throws {
        defer { socket.withdraw() }
        try await gracefulShutdown()
    }
}
