import AgentCapture
import Capture
import LibraryAPI
import PhotoLibrary
import PhotoModel

/// The socket's request handlers.
struct ControlRoutes: Sendable {
    let capture: CaptureService
    let clock: any CaptureClock
    /// The whole box's status, given the capture status.
    let status: @Sendable (CaptureStatus) async throws -> StatusDocument
    /// Called when another process has changed something.
    var wake: @Sendable () -> Void = {}

    /// All routes, as written in `docs/agent-openapi.yaml`.
    static let routes = [
        "GET /v1/alive", "GET /v1/status", "GET /v1/preview", "GET /v1/preview/{profile}", "GET /v1/events",
        "POST /v1/captures", "POST /v1/wake",
    ]

    private static let preview = "/v1/preview"

    /// Answers a request.
    func answer(_ request: ControlServer.Request) async -> ControlServer.Answer {
        // The requested moment is now, however long parsing takes.
        let time = clock.reading().monotonic
        do {
            switch (request.method, request.path) {
            case ("GET", "/v1/alive"):
                return try ControlServer.Answer(["alive": true])
            case ("GET", "/v1/status"):
                return try ControlServer.Answer(try await status(await capture.status()))
            case ("GET", "/v1/events"):
                return ControlServer.Answer(capture.events())
            case ("POST", "/v1/captures"):
                let shots = try await capture.take(try CaptureOrder(json: request.body), at: time)
                return try ControlServer.Answer(CaptureDocument(captures: shots))
            case ("POST", "/v1/wake"):
                wake()
                return try ControlServer.Answer(["awake": true])
            case ("GET", let path) where path == Self.preview || path.hasPrefix("\(Self.preview)/"):
                let name = PercentEncoding.decode(path.dropFirst(Self.preview.count + 1)) ?? ""
                let picture = try await capture.preview(of: name.isEmpty ? nil : name)
                return ControlServer.Answer(status: 200, contentType: "image/jpeg", body: picture)
            default:
                throw AgentError(.usage, "the socket serves \(Self.routes.joined(separator: ", "))")
            }
        } catch {
            return ControlServer.Answer(error)
        }
    }
}
