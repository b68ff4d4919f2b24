import AsyncHTTPClient
import DeviceIdentity
import Foundation
import LibraryStore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Observability
import PhotoModel
import ServiceLifecycle
import Settings
import TestSupport
import Testing

@testable import LibraryServer

/// A folder that is gone after the test.
struct TemporaryFolder: ~Copyable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "tt-\(UInt32.random(in: 0 ... .max))").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A server in this process, on loopback, with real TLS and a real store.
struct RunningServer: Sendable {
    let address: ListenAddress
    let socketPath: String
    let environment: ServerEnvironment

    /// Drops what is logged.
    static let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs `body` against a server over a new library, which is stopped afterwards.
    static func run(
        flags: [String] = [],
        logger: Logger = RunningServer.silence,
        body: (RunningServer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await run(in: folder.path, flags: flags, logger: logger, body: body)
    }

    /// Runs `body` against a server over the library in a folder, which is made when missing; `now` replaces its clock.
    static func run(
        in folder: String,
        flags: [String] = [],
        logger: Logger = RunningServer.silence,
        streamInterval: Duration? = nil,
        now: (@Sendable () -> WallTime)? = nil,
        body: (RunningServer) async throws -> Void
    ) async throws {
        let path = "\(folder)/library"
        let settings = try settings(path, flags: flags)
        let opened =
            FileManager.default.fileExists(atPath: path)
            ? try await ServerEnvironment.open(settings, logger: logger)
            : try await ServerEnvironment.create(settings, logger: logger)
        defer { opened.store.close() }
        let environment = ServerEnvironment(
            authority: opened.authority,
            store: opened.store,
            metrics: opened.metrics,
            now: now ?? opened.now,
            logger: opened.logger,
            streamInterval: streamInterval ?? opened.streamInterval
        )
        try await run(environment: environment, settings: settings, body: body)
    }

    /// Settings of a server over the library at a path.
    static func settings(_ path: String, flags: [String]) throws -> ServerSettings {
        try ServerSettings(
            from: SettingsReader(
                yaml: "",
                environment: [:],
                // Beside a thousand other tests, a client can be kept from its next request for over a minute: neither
                // end may take that for the other's death.
                flags: [
                    "library.path=\(path)", "server.listen=127.0.0.1:0", "media.workers=0",
                    "server.idleTimeoutSeconds=600", "server.slowTimeoutSeconds=600",
                ] + flags
            )
        )
    }

    /// Runs `body` against a server, which is stopped afterwards.
    static func run(
        environment: ServerEnvironment,
        settings: ServerSettings,
        body: (RunningServer) async throws -> Void
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: LibraryServer.Listening.self)
        let services = try LibraryServer(settings: settings, environment: environment).services { listening in
            continuation.yield(listening)
            continuation.finish()
        }
        let group = ServiceGroup(
            configuration: .init(services: services, gracefulShutdownSignals: [], logger: environment.logger)
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var listening: LibraryServer.Listening?
            for await value in stream { listening = value }
            let opened = try #require(listening)
            let server = RunningServer(
                address: opened.address,
                socketPath: opened.socketPath,
                environment: environment
            )
            do {
                try await body(server)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Runs `body` with a client that shows this certificate, over so many connections at most.
    func withClient<Answer>(
        key: DeviceKey? = nil,
        certificate: IdentityCertificate? = nil,
        connections: Int = 64,
        body: (TestClient) async throws -> Answer
    ) async throws -> Answer {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: environment.authority.authority.root.der, format: .der)
        ])
        if let key, let certificate {
            tls.certificateChain = [.certificate(try NIOSSLCertificate(bytes: certificate.der, format: .der))]
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pem.utf8), format: .pem))
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        return try await withClient(configuration, "https://127.0.0.1:\(address.port)", body)
    }

    /// Runs `body` with a client on the operators' socket.
    func withOperator<Answer>(body: (TestClient) async throws -> Answer) async throws -> Answer {
        let escaped = socketPath.replacingOccurrences(of: "/", with: "%2F")
        return try await withClient(HTTPClient.Configuration(), "http+unix://\(escaped)", body)
    }

    private func withClient<Answer>(
        _ configuration: HTTPClient.Configuration,
        _ base: String,
        _ body: (TestClient) async throws -> Answer
    ) async throws -> Answer {
        var configuration = configuration
        configuration.timeout.connect = TestClient.patience
        let client = HTTPClient(configuration: configuration)
        do {
            let answer = try await body(TestClient(client: client, base: base))
            try await client.shutdown()
            return answer
        } catch {
            try await client.shutdown()
            throw error
        }
    }
}

/// Asks again where the server closed the connection instead of answering, as it does when a caller's rights change.
func untilAnswered<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
    while true {
        do { return try await ask() } catch  where tellsOfClosure(error) { continue }
    }
}

/// Whether an error says that the server closed the connection: while nothing was sent, or under what was.
private func tellsOfClosure(_ error: any Error) -> Bool {
    if let error = error as? IOError { return [ECONNRESET, EPIPE].contains(error.errnoCode) }
    if case NIOSSLError.uncleanShutdown = error { return true }
    return (error as? HTTPClientError) == .remoteConnectionClosed
}

/// Asks until something holds.
func eventually(_ holds: () async throws -> Bool) async throws {
    for _ in 0..<20_000 where try await holds() { return }
    Issue.record("it never came to hold")
}

/// Sends requests to one server with one credential.
struct TestClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(Value.self, from: Data(body))
        }

        /// The body as the program that belongs to its coding decodes it.
        func decoded() async throws -> [UInt8] {
            guard let coding = headers["content-encoding"] else { return body }
            let folder = try TemporaryFolder()
            let file = "\(folder.path)/body.\(coding == "br" ? "br" : "gz")"
            try Data(body).write(to: URL(filePath: file))
            let outcome = try await offTheSharedThreads {
                try ChildProcess.run(coding == "br" ? "brotli" : "gzip", ["-dc", file])
            }
            #expect(outcome.status == 0, "\(outcome.errors)")
            return Array(outcome.output)
        }
    }

    /// How long an answer may take beside a thousand other tests.
    static let patience = TimeAmount.seconds(300)
    /// The keep-alive interval where a stream has to end before another one's second keep-alive: long enough for a busy
    /// machine to end it.
    static let patientInterval = Duration.nanoseconds(patience.nanoseconds)

    let client: HTTPClient
    let base: String

    func send(
        _ method: String,
        _ path: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: base + path)
        request.method = .RAW(value: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await client.execute(request, timeout: Self.patience)
        // A stream of events has no end: its head is the answer.
        let isStream = response.headers["Content-Type"] == ["text/event-stream"]
        let content = isStream ? ByteBuffer() : try await response.body.collect(upTo: 64 << 20)
        var fields: [String: String] = [:]
        for (name, value) in response.headers { fields[name.lowercased()] = value }
        return Answer(
            status: Int(response.status.code),
            headers: fields,
            body: Array(content.readableBytesView)
        )
    }

    /// Reads a stream until the server ends it; `opened` is called once it has begun.
    func streamEnds(
        at path: String,
        headers: [(String, String)] = [],
        opened: @Sendable () -> Void = {}
    ) async throws -> Bool {
        // Many handshakes at once take their time; the stream itself has no limit.
        let response = try await open(path, headers, opened)
        #expect(response.status == .ok)
        do {
            for try await _ in response.body {}
        } catch {
            // A connection that is closed in the middle of a chunked body is an error for the client: it has ended.
            return (error as? HTTPClientError) != .deadlineExceeded
        }
        return true
    }

    /// Whether a stream ends, whole, before it gives a second sign of life; `opened` is called at the first, and at the
    /// latest when the stream has ended.
    func streamEndsSilently(at path: String, opened: @Sendable () -> Void = {}) async throws -> Bool {
        defer { opened() }
        let response = try await open(path) {}
        #expect(response.status == .ok)
        var hasSpoken = false
        for try await buffer in response.body {
            if hasSpoken, String(buffer: buffer).contains(": nothing new") { return false }
            hasSpoken = true
            opened()
        }
        return hasSpoken
    }

    /// Begins a response; `opened` is called even if there is none, because tests wait for it.
    private func open(
        _ path: String,
        _ headers: [(String, String)] = [],
        _ opened: () -> Void
    ) async throws -> HTTPClientResponse {
        defer { opened() }
        var request = HTTPClientRequest(url: base + path)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        return try await client.execute(request, timeout: Self.patience)
    }

    /// Counts the bytes of an answer until it is whole or cut; `opened` is called before the first is read.
    func received(at path: String, opened: @Sendable () -> Void) async throws -> Int {
        let response = try await open(path, [], opened)
        var count = 0
        do {
            for try await buffer in response.body { count += buffer.readableBytes }
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw error
        } catch {
            // A body that is cut is an error for the client.
        }
        return count
    }

    func send(_ method: String, _ path: String, json value: some Encodable) async throws -> Answer {
        try await send(
            method,
            path,
            headers: [("Content-Type", "application/json")],
            body: Array(try JSONEncoder().encode(value))
        )
    }
}

extension WallTime {
    static func now() -> WallTime {
        WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
