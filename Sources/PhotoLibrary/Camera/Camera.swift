public import FoundationEssentials
import LibraryAPI
import LibraryClient
import PhotoModel
import Synchronization

/// The cameras of this box, through the agent running here (AVFoundation's `AVCapturePhotoOutput`).
///
/// ```swift
/// let camera = Camera()
/// var order = CaptureOrder()
/// order.mode = .live
/// let shots = try await camera.capture(order)
/// for try await event in camera.events() where event.kind == .willCapture { blink() }
/// ```
///
/// Its shots go into the agent's queue and are synced like every other capture. A decision about the
/// camera also applies to the program, which must be in the group that may use the agent's folder.
public struct Camera: Sendable {
    /// Events buffered for their reader.
    private static let backlog = 1024

    private let socketPath: String

    /// The cameras of an agent.
    ///
    /// - Parameter agentPath: the agent's folder, its setting `agent.path`.
    public init(agentPath: String = PhotoLibrary.Configuration().agentPath) {
        self.init(socketPath: "\(agentPath)/\(AgentSocket.fileName)")
    }

    /// The cameras of an agent with a custom `agent.socket` setting.
    public init(socketPath: String) {
        self.socketPath = socketPath
    }

    /// Takes a shot now; pictures from just before the call are still available.
    ///
    /// - Parameter order: the profile, and any deviations from it.
    /// - Returns: the shots, durable in the queue: one, or as many as ordered.
    /// - Throws: `notRunning` if no agent is running, `notAuthorized` if the camera may not be used, `invalid` for an
    ///   unknown profile, `storage` for a full disk, `camera` for errors of the camera.
    public func capture(_ order: CaptureOrder = CaptureOrder()) async throws -> [CapturedShot] {
        let body = try JSONEncoder().encode(order)
        let answer = try await send(TransportRequest("POST", "/v1/captures", body: .bytes(Array(body))))
        return try JSONDecoder().decode(CaptureDocument.self, from: Data(answer)).captures
    }

    /// What a camera sees now; nothing is captured or kept.
    ///
    /// - Parameter profile: one of its profiles; nil for the first camera.
    /// - Returns: a JPEG.
    /// - Throws: as ``capture(_:)``.
    public func preview(of profile: String? = nil) async throws -> Data {
        let name = profile.map { "/\(PercentEncoding.encode($0))" } ?? ""
        return Data(try await send(TransportRequest("GET", "/v1/preview\(name)")))
    }

    /// The events of every shot of this box from now on, whatever requested it.
    ///
    /// - Returns: the events. It ends when the agent ends; it throws `notRunning` if none is running, and `camera` if
    ///   the program reads so slowly that events would be lost.
    public func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.backlog)) { continuation in
            let reader = Mutex(EventStreamReader())
            var request = TransportRequest("GET", "/v1/events")
            request.sink = { bytes in
                for data in try reader.withLock({ try $0.read(bytes) }) {
                    let event = try JSONDecoder().decode(CaptureEvent.self, from: Data(data))
                    guard case .dropped = continuation.yield(event) else { continue }
                    throw PhotoLibraryError(.camera, "events were read too slowly")
                }
            }
            let work = Task { [request] in
                do {
                    _ = try await send(request)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    /// Sends a request, and returns the body of a successful response.
    private func send(_ request: TransportRequest) async throws -> [UInt8] {
        let answer: TransportResponse
        do {
            guard let socket = try AgentSocket(path: socketPath) else { throw PhotoLibraryError.noAgent }
            answer = try await socket.send(request)
        } catch let error as TransportError {
            switch error.code {
            case .cancelled: throw CancellationError()
            case .unreachable: throw PhotoLibraryError.noAgent
            default: throw PhotoLibraryError(.camera, error.message, cause: error)
            }
        }
        if answer.status == 200 { return answer.body }
        let problem = try? JSONDecoder().decode(ControlProblem.self, from: Data(answer.body))
        let code: PhotoLibraryError.Code =
            switch answer.status {
            case 400: .invalid
            case 403: .notAuthorized
            case 507: .storage
            default: .camera
            }
        throw PhotoLibraryError(code, problem?.message ?? "the agent answered \(answer.status)")
    }
}

/// Why a request to the agent's socket failed.
package struct ControlProblem: Hashable, Sendable, Codable {
    /// The name of one of the agent's exit statuses.
    package let error: String
    /// What happened and what to do.
    package let message: String

    package init(error: String, message: String) {
        self.error = error
        self.message = message
    }
}

extension PhotoLibraryError {
    fileprivate static var noAgent: PhotoLibraryError {
        PhotoLibraryError(.notRunning, "no agent runs on this box: systemctl start tintype-agent, or tintype-agent run")
    }
}
