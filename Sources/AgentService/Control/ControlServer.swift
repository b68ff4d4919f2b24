import AgentCapture
import Capture
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Persistence
import PhotoLibrary
import PhotoModel
import ServiceLifecycle
import Synchronization

/// The running agent's interface for programs on its box: HTTP/1.1 over a Unix socket.
///
///     GET  /v1/status     the state of the box          200 with what `status --json` prints
///     GET  /v1/preview    what the first camera sees    200 with a JPEG; of a profile's camera: /v1/preview/NAME
///     GET  /v1/events     what happens to each shot     200 with server-sent events, each a `CaptureEvent`
///     POST /v1/captures   takes a shot: a `CaptureOrder` 200 with what `capture --json` prints
///     POST /v1/wake       syncs now, including changes by other programs
///
/// The socket file's owner and group may connect (mode 0660). An error is a JSON object with `error`, one of the
/// agent's exit names, and `message`. The API is described in `docs/agent-openapi.yaml`.
struct ControlServer: Service {
    /// A request.
    struct Request: Sendable {
        let method: String
        let path: String
        let body: [UInt8]
    }

    /// An answer.
    struct Answer: Sendable {
        let status: Int
        var contentType = "application/json"
        var body: [UInt8] = []
        /// Sent as they happen, instead of a body; their error ends the connection.
        var events: AsyncThrowingStream<CaptureEvent, any Error>?
    }

    /// The largest request body, in bytes.
    static let bodyLimit = 64 << 10
    /// The connection limit; one more closes the longest idle one.
    static let connectionLimit = 64
    /// The most clients that may follow events; more are refused.
    static let eventReaderLimit = 16

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let path: Path
    let clock: any CaptureClock
    let logger: Logger
    /// Called once clients can connect.
    var isListening: @Sendable () -> Void = {}
    /// Answers a request.
    let handler: @Sendable (Request) async -> Answer

    /// Listens until the group is shut down; requests in progress get their responses.
    func run() async throws {
        let server: NIOAsyncChannel<Connection, Never>
        let accepted = AcceptedConnections<Connection>()
        do {
            server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .bind(unixDomainSocketPath: path.text, cleanupExistingSocketFile: true) { [clock] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(UnreadDeadline(clock: clock))
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                        return try accepted.add(channel) { try Connection(wrappingChannelSynchronously: channel) }
                    }
                }
        } catch {
            throw AgentError(.failed, "cannot listen at \(path): \(error)")
        }
        unsafe chmod(path.text, 0o660)
        isListening()
        // A separate task that is not cancelled but told to stop: an accepted connection must be served or closed with
        // `executeThenClose` (AcceptedConnections explains why).
        let isEnded = Mutex(false)
        let end: @Sendable (Bool) -> Void = { [channel = server.channel] isAtOnce in
            if isAtOnce { isEnded.withLock { $0 = true } }
            channel.close(promise: nil)
        }
        let work = Task { try await accept(from: server, accepted) { isEnded.withLock { $0 } } }
        try await withGracefulShutdownHandler {
            try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                end(true)
            }
        } onGracefulShutdown: {
            end(false)
        }
        unsafe unlink(path.text)
    }

    /// Serves clients until the listener is closed, and leaves no accepted connection behind.
    private func accept(
        from server: NIOAsyncChannel<Connection, Never>,
        _ accepted: AcceptedConnections<Connection>,
        isCancelled: @Sendable () -> Bool
    ) async throws {
        let outcome = await Result.awaiting {
            try await serveAll(from: server, accepted, isCancelled: isCancelled)
        }
        for connection in accepted.close() { try? await connection.executeThenClose { _, _ in } }
        try outcome.get()
    }

    /// Requests in progress get their responses, unless everything was cancelled.
    private func serveAll(
        from server: NIOAsyncChannel<Connection, Never>,
        _ accepted: AcceptedConnections<Connection>,
        isCancelled: @Sendable () -> Bool
    ) async throws {
        let open = OpenConnections(limit: Self.connectionLimit)
        try await server.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    accepted.take(connection.channel)
                    guard let place = open.enter(connection.channel) else {
                        group.addTask { try? await connection.executeThenClose { _, _ in } }
                        continue
                    }
                    group.addTask {
                        await withGracefulShutdownHandler {
                            await serve(connection, place, open)
                        } onGracefulShutdown: {
                            // An idle connection closes at once, a busy one after its response.
                            connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                        }
                        open.leave(place)
                    }
                }
                if isCancelled() { group.cancelAll() }
            }
        }
    }

    /// Answers one request after the other; a client that disconnects loses only its response.
    private func serve(_ connection: Connection, _ place: Int, _ open: OpenConnections) async {
        do {
            try await connection.executeThenClose { requests, answers in
                var head: HTTPRequestHead?
                var body: [UInt8] = []
                for try await part in requests {
                    switch part {
                    case .head(let newHead):
                        head = newHead
                        body = []
                    case .body(let buffer):
                        // One byte beyond the limit is enough to refuse it.
                        let room = max(0, Self.bodyLimit + 1 - body.count)
                        body.append(contentsOf: buffer.readableBytesView.prefix(room))
                    case .end:
                        guard let request = head else { return }
                        open.work(place)
                        let answer = await answer(request, body)
                        if let events = answer.events {
                            guard open.follow(place) else {
                                let limit = Self.eventReaderLimit
                                let busy = AgentError(.failed, "\(limit) programs already follow events: stop one")
                                return try await write(Answer(busy), isKept: false, to: answers)
                            }
                            return try await write(events, of: answer, on: connection.channel, to: answers)
                        }
                        try await write(answer, isKept: request.isKeepAlive, to: answers)
                        if !request.isKeepAlive { return }
                        open.rest(place)
                    }
                }
            }
        } catch {
            logger.debug("a client of the socket disconnected", metadata: ["error": "\(error)"])
        }
    }

    private func answer(_ head: HTTPRequestHead, _ body: [UInt8]) async -> Answer {
        guard body.count <= Self.bodyLimit else {
            return Answer(AgentError(.usage, "a request's body has at most \(Self.bodyLimit) bytes"))
        }
        let path = head.uri.prefix { $0 != "?" }
        return await handler(Request(method: head.method.rawValue, path: String(path), body: body))
    }

    private func write(
        _ answer: Answer,
        isKept: Bool,
        to answers: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        var fields = HTTPHeaders([("Content-Type", answer.contentType), ("Content-Length", "\(answer.body.count)")])
        if !isKept { fields.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: fields)
        try await answers.write(.head(head))
        try await answers.write(.body(.byteBuffer(ByteBuffer(bytes: answer.body))))
        try await answers.write(.end(nil))
    }

    /// Sends events until they end, the client disconnects, or the service is told to stop.
    private func write(
        _ events: AsyncThrowingStream<CaptureEvent, any Error>,
        of answer: Answer,
        on channel: any Channel,
        to answers: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        let fields = HTTPHeaders([
            ("Content-Type", answer.contentType), ("Cache-Control", "no-store"), ("Connection", "close"),
        ])
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: fields)
        try await answers.write(.head(head))
        // A comment: from here on the client misses nothing.
        try await answers.write(.body(.byteBuffer(ByteBuffer(string: ": following\n\n"))))
        let following = Task {
            for try await event in events {
                let data = String(decoding: try JSONText.bytes(event), as: UTF8.self)
                let block = ByteBuffer(string: "event: \(event.kind.rawValue)\ndata: \(data)\n\n")
                try await answers.write(.body(.byteBuffer(block)))
            }
        }
        channel.closeFuture.whenComplete { _ in following.cancel() }
        try await withGracefulShutdownHandler {
            try await following.value
        } onGracefulShutdown: {
            following.cancel()
        }
        try await answers.write(.end(nil))
    }
}

/// The connections being served.
private final class OpenConnections: Sendable {
    private struct Place {
        let channel: any Channel
        /// The number of its last response, or of its arrival; nil while busy.
        var silentSince: Int?
        var isFollowing = false
    }

    private let limit: Int
    private let state = Mutex<(count: Int, places: [Int: Place])>((0, [:]))

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a connection, and returns its place, or nil if all are busy; at the limit, the longest idle one is closed
    /// for it.
    func enter(_ channel: any Channel) -> Int? {
        let (place, displaced) = state.withLock { state -> (Int?, (any Channel)?) in
            var displaced: (any Channel)?
            if state.places.count >= limit {
                let silent = state.places.filter { $0.value.silentSince != nil }
                let oldest = silent.min { ($0.value.silentSince ?? 0) < ($1.value.silentSince ?? 0) }
                guard let oldest else { return (nil, nil) }
                displaced = oldest.value.channel
                state.places[oldest.key] = nil
            }
            state.count += 1
            state.places[state.count] = Place(channel: channel, silentSince: state.count)
            return (state.count, displaced)
        }
        displaced?.close(promise: nil)
        return place
    }

    /// Marks a connection as busy.
    func work(_ place: Int) {
        state.withLock { $0.places[place]?.silentSince = nil }
    }

    /// Starts following events; false at the limit.
    func follow(_ place: Int) -> Bool {
        state.withLock { state in
            let count = state.places.values.count { $0.isFollowing }
            guard count < ControlServer.eventReaderLimit else { return false }
            state.places[place]?.isFollowing = true
            return true
        }
    }

    /// The response was sent.
    func rest(_ place: Int) {
        state.withLock { state in
            state.count += 1
            state.places[place]?.silentSince = state.count
        }
    }

    func leave(_ place: Int) {
        state.withLock { $0.places[place] = nil }
    }
}

extension ControlServer.Answer {
    /// A stream of events (WHATWG HTML, section 9.2: server-sent events).
    init(_ events: AsyncThrowingStream<CaptureEvent, any Error>) {
        self.init(status: 200, contentType: "text/event-stream", events: events)
    }

    /// A successful response.
    init(_ value: some Encodable) throws {
        self.init(status: 200, body: try JSONText.bytes(value))
    }

    /// An error response.
    init(_ error: any Error) {
        let exit = AgentExit(for: error) ?? .failed
        let problem = ControlProblem(error: "\(exit)", message: "\(error)")
        let status =
            switch exit {
            case .usage: 400
            case .held, .notAllowed: 403
            case .full: 507
            case .configuration: 500
            case .unreachable: 502
            case .done, .failed, .partly, .nothingChosen, .interrupted: 503
            }
        self.init(status: status, body: (try? JSONText.bytes(problem)) ?? [])
    }
}
