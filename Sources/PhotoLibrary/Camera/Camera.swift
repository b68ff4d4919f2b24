public import FoundationEssentials
import LibraryAPI
import LibraryClient
import Synchronization

/// The cameras of this box, by way of the agent that runs here (AVFoundation's `AVCapturePhotoOutput`).
///
/// ```swift
/// let camera = Camera()
/// var order = CaptureOrder()
/// order.mode = .live
/// let shots = try await camera.capture(order)
/// for try await event in camera.events() where event.kind == .willCapture { blink() }
/// ```
///
/// What it takes waits in the agent's queue and is synced like every other capture. The person or setting that decides about
/// the camera decides for the program, too. The program has to be in the group that may use the agent's folder.
public struct Camera: Sendable {
    /// Events that wait for their reader.
    private static let backlog = 1024

    private let socketPath: String

    /// The cameras of an agent.
    ///
    /// - Parameter agentPath: the agent's folder, its setting `agent.path`.
    public init(agentPath: String = PhotoLibrary.Configuration().agentPath) {
        self.init(socketPath: "\(agentPath)/\(AgentSocket.fileName)")
    }

    /// The cameras of an agent whose setting `agent.socket` names a place of its own.
    public init(socketPath: String) {
        self.socketPath = socketPath
    }

    /// Takes a shot now; pictures from just before the call are still there.
    ///
    /// - Parameter order: the profile, and what differs from it.
    /// - Returns: the shots, durable in the queue: one, or as many as the order counts.
    /// - Throws: `notRunning` where no agent runs, `notAuthorized` where the camera may not be used, `invalid` for an unknown
    ///   profile, `storage` for a full disk, `camera` for what the camera says.
    public func capture(_ order: CaptureOrder = CaptureOrder()) async throws -> [CapturedShot] {
        let body = try JSONEncoder().encode(order)
        let answer = try await send(TransportRequest("POST", "/v1/captures", body: .bytes(Array(body))))
        return try JSONDecoder().decode(CaptureDocument.self, from: Data(answer)).captures
    }

    /// What a camera sees now; nothing is taken, and nothing is kept.
    ///
    /// - Parameter profile: one of its profiles; nil for the first camera.
    /// - Returns: a JPEG.
    /// - Throws: as ``capture(_:)`` does.
    public func preview(of profile: String? = nil) async throws -> Data {
        let name = profile.map { "/\(PercentEncoding.encode($0))" } ?? ""
        return Data(try await send(TransportRequest("GET", "/v1/preview\(name)")))
    }

    /// What happens to every shot of this box from here on, whatever asked for it.
    ///
    /// - Returns: the events. It ends when the agent ends; it throws `notRunning` where none runs, and `camera` where the
    ///   program reads so slowly that events would be left out.
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

    /// Sends a request, and gives the body of an answer of success.
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
