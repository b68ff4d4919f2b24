import Capture

/// What the socket's requests do.
struct ControlRoutes: Sendable {
    let capture: CaptureService
    let clock: any CaptureClock
    /// How the whole box stands, given how capturing does.
    let status: @Sendable (CaptureStatus) async throws -> StatusDocument
    /// Told that something was changed beside the service.
    var wake: @Sendable () -> Void = {}

    /// Answers a request.
    func answer(_ request: ControlServer.Request) async -> ControlServer.Answer {
        // The moment asked for is now, however long it takes to read what is asked.
        let time = clock.reading().monotonic
        do {
            switch (request.method, request.path) {
            case ("GET", "/v1/alive"):
                return try ControlServer.Answer(["alive": true])
            case ("GET", "/v1/status"):
                return try ControlServer.Answer(try await status(await capture.status()))
            case ("POST", "/v1/captures"):
                let shots = try await capture.take(try CaptureOrder(json: request.body), at: time)
                return try ControlServer.Answer(CaptureDocument(captures: shots))
            case ("POST", "/v1/wake"):
                wake()
                return try ControlServer.Answer(["awake": true])
            default:
                throw AgentError(.usage, "there is GET /v1/status, POST /v1/wake and POST /v1/captures")
            }
        } catch {
            return ControlServer.Answer(error)
        }
    }
}
