import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
package import ObjectStorage
import PhotoModel
import ServiceLifecycle
import Synchronization

/// A store that speaks S3 in this process, on loopback: it keeps what it is given in memory, compares digests, and fails on
/// request.
package final class FakeObjectStore: Sendable {
    /// What goes wrong with one request.
    package enum Fault: Hashable, Sendable {
        /// Nothing is done, and a status with its code is answered.
        case refuses(Int, String)
        /// It is done, and the connection breaks before the answer is whole.
        case loses
        /// Half of the body is sent, and the connection breaks.
        case cuts
        /// What is stored is other than what was sent.
        case corrupts
    }

    /// A request as a test chooses among them.
    package struct Asked: Hashable, Sendable {
        /// The method.
        package let method: String
        /// The key, empty for the bucket.
        package let key: String
        /// The names in the query.
        package let query: Set<String>
        /// What the keys of a list begin with, below the bucket; empty for other requests.
        package let prefix: String
    }

    /// When a test may hold a request.
    package enum Stage: Hashable, Sendable {
        /// Before anything is done.
        case arrived
        /// It is done, and not answered.
        case performed
    }

    struct Upload {
        let key: String
        var parts: [Int: [UInt8]] = [:]
    }

    struct State {
        var objects: [String: [UInt8]] = [:]
        var uploads: [String: Upload] = [:]
        var uploadCount = 0
        var asked: [Asked] = []
        var faults: [@Sendable (Asked) -> Fault?] = []
        var disturbance: (@Sendable () -> Fault?)?
        var hold: (@Sendable (Asked, Stage) async -> Void)?
        var isAway = false
        var comparesChecksums = true
        var engine: String?
    }

    /// The bucket that is there.
    package static let bucket = "photos"
    /// The key that is known.
    package static let credentials = ObjectStoreCredentials(accessKey: "fake-key", secretKey: "fake-secret")
    /// Of which region it is.
    package static let region = "fake-1"

    let state = Mutex(State())
    private let port = Mutex(0)

    /// A store without objects.
    package init() {}

    /// Runs the store while a body uses it.
    package func run<Value: Sendable>(_ body: @Sendable (FakeObjectStore) async throws -> Value) async throws -> Value {
        let (started, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                var response = try await self.answer(request)
                response.headers[.server] = self.engine
                return response
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                continuation.yield(channel.localAddress?.port ?? 0)
                continuation.finish()
            },
            logger: Logger(label: "fake") { _ in SwiftLogNoOpLogHandler() }
        )
        let group = ServiceGroup(
            configuration: .init(
                services: [application],
                logger: Logger(label: "fake") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await number in started { port.withLock { $0 = number } }
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(self))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            tasks.cancelAll()
            return try result.get()
        }
    }

    /// Where it answers.
    package var endpoint: String { "http://127.0.0.1:\(port.withLock { $0 })" }

    /// A client with short pauses.
    package func client(
        prefix: String = "library",
        bucket: String = FakeObjectStore.bucket,
        region: String = FakeObjectStore.region,
        credentials: ObjectStoreCredentials = FakeObjectStore.credentials,
        attempts: Int = 4
    ) throws -> ObjectClient {
        var limits = ObjectClient.Limits()
        limits.pause = .milliseconds(1)
        // Beside a thousand other tests an answer takes its time.
        limits.timeout = .seconds(300)
        limits.connectTimeout = .seconds(300)
        limits.attempts = attempts
        let location = ObjectStoreLocation(
            endpoint: endpoint,
            bucket: "\(bucket)/\(prefix)",
            region: region,
            addressing: .path
        )
        guard let location else { throw CancellationError() }
        return try ObjectClient(location, credentials: credentials, limits: limits) {
            WallTime(microsecondsSince1970: 1_764_000_000_000_000)
        }
    }

    /// Lets the next request that a test chooses go wrong; each that is added goes wrong once.
    package func fail(_ fault: Fault, when isChosen: @escaping @Sendable (Asked) -> Bool = { _ in true }) {
        state.withLock { $0.faults.append { isChosen($0) ? fault : nil } }
    }

    /// Lets any request go wrong as this decides; nil ends it.
    package func disturb(_ disturbance: (@Sendable () -> Fault?)?) {
        state.withLock { $0.disturbance = disturbance }
    }

    /// Lets each request wait, at both stages, until this returns; nil ends it.
    package func hold(_ hold: (@Sendable (Asked, Stage) async -> Void)?) {
        state.withLock { $0.hold = hold }
    }

    /// Faults that no request has met yet.
    package var faultCount: Int { state.withLock { $0.faults.count } }

    /// Whether every request is answered with 503.
    package var isAway: Bool {
        get { state.withLock(\.isAway) }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// Whether digests that bodies carry are compared.
    package var comparesChecksums: Bool {
        get { state.withLock(\.comparesChecksums) }
        set { state.withLock { $0.comparesChecksums = newValue } }
    }

    /// What it calls itself in each answer; nil for no name.
    package var engine: String? {
        get { state.withLock(\.engine) }
        set { state.withLock { $0.engine = newValue } }
    }

    /// What was asked for so far.
    package var asked: [Asked] { state.withLock(\.asked) }

    /// The keys that are there, below the bucket.
    package var keys: [String] { state.withLock { $0.objects.keys.sorted() } }

    /// Uploads in parts that have neither ended nor been given up.
    package var uploadCount: Int { state.withLock { $0.uploads.count } }

    /// Changes what is stored under a key.
    package func change(_ key: String, _ body: (inout [UInt8]?) -> Void) {
        state.withLock { body(&$0.objects[key]) }
    }

    private func answer(_ request: Hummingbird.Request) async throws -> Response {
        var body = try await request.body.collect(upTo: 64 << 20)
        let bytes = body.readBytes(length: body.readableBytes) ?? []
        let query = Dictionary(
            request.uri.queryParameters.map { (String($0.key), String($0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
        let path = (request.uri.path.removingPercentEncoding ?? "").split(separator: "/", maxSplits: 1)
        let key = path.count > 1 ? String(path[1]) : ""
        let asked = Asked(
            method: request.method.rawValue,
            key: key,
            query: Set(query.keys),
            prefix: query["prefix"] ?? ""
        )
        let hold = state.withLock(\.hold)
        await hold?(asked, .arrived)
        let fault = state.withLock { state -> Fault? in
            state.asked.append(asked)
            if state.isAway { return .refuses(503, "ServiceUnavailable") }
            for (index, fault) in state.faults.enumerated() {
                guard let chosen = fault(asked) else { continue }
                state.faults.remove(at: index)
                return chosen
            }
            return state.disturbance?()
        }
        if case .refuses(let status, let code) = fault { return Self.refusal(status, code) }
        if let refusal = refusal(request, bytes, bucket: path.first.map(String.init) ?? "") { return refusal }
        let stored = fault == .corrupts ? bytes.map { $0 ^ 1 } : bytes
        let response = perform(asked, query, request.headers, stored)
        await hold?(asked, .performed)
        switch fault {
        case .loses, .cuts: return Self.broken(response)
        default: return response
        }
    }

    private func refusal(_ request: Hummingbird.Request, _ bytes: [UInt8], bucket: String) -> Response? {
        let authorization = request.headers[.authorization] ?? ""
        let parts = authorization.split(separator: "/")
        guard parts.count > 4, parts[0] == "AWS4-HMAC-SHA256 Credential=\(Self.credentials.accessKey)" else {
            return Self.refusal(403, "InvalidAccessKeyId")
        }
        guard parts[2] == Self.region else { return Self.refusal(400, "AuthorizationHeaderMalformed") }
        guard bucket == Self.bucket else { return Self.refusal(404, "NoSuchBucket") }
        let digest = ContentDigest(of: bytes)
        guard Self.field("x-amz-content-sha256", of: request) == digest.description else {
            return Self.refusal(400, "XAmzContentSHA256Mismatch")
        }
        let checksum = Self.field("x-amz-checksum-sha256", of: request)
        let isRight = checksum == nil || checksum == Self.base64(digest.bytes)
        return isRight || !comparesChecksums ? nil : Self.refusal(400, "BadDigest")
    }

    private static func field(_ name: String, of request: Hummingbird.Request) -> String? {
        request.headers.first { $0.name.canonicalName == name }?.value
    }
}
