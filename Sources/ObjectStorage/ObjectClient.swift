import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
package import PhotoModel

/// A client of one bucket in a store that speaks S3.
///
/// Every request is idempotent: a response of 429 or 5xx, a lost response and a truncated body are retried after a
/// growing, random pause. Every body carries its SHA-256, in the signature and as a checksum that the store verifies.
/// Redirects are refused, and certificates are always verified.
package final class ObjectClient: Sendable {
    /// A client's limits.
    package struct Limits: Sendable {
        /// The most attempts for one request.
        package var attempts = 4
        /// The pause before the second attempt; it doubles with each one.
        package var pause = Duration.milliseconds(250)
        /// The time limit of one attempt; a request that has taken this long is not retried.
        package var timeout = Duration.seconds(60)
        /// The time limit for connecting.
        package var connectTimeout = Duration.seconds(10)

        /// The default limits.
        package init() {}
    }

    /// A request to the store.
    struct Request {
        let method: HTTPMethod
        let key: String
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        /// SHA-256 of the body.
        var digest = ContentDigest.ofNothing
        /// The largest response body, in bytes.
        var responseByteCount = 1 << 20
        /// Whether a successful response has a document.
        ///
        /// A store may begin its response before it knows the outcome, and then send an error with status 200.
        var returnsDocument = false
        /// Whether the request is sent only once.
        var isCheck = false
    }

    /// The store's response.
    struct Response {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]
        /// The parsed body; nil for an object's bytes, or without a body.
        let document: StoreDocument?
    }

    /// The most connections: more than parts and batches need, because waiting for one counts as connecting.
    private static let connectionCount = 128
    /// The bucket.
    package let location: ObjectStoreLocation
    private let credentials: ObjectStoreCredentials
    private let limits: Limits
    private let now: @Sendable () -> WallTime
    private let client: HTTPClient

    /// Creates a client, which connects on first use; a file of certificates (PEM) is trusted besides the machine's.
    ///
    /// - Throws: if the certificates file is invalid.
    package init(
        _ location: ObjectStoreLocation,
        credentials: ObjectStoreCredentials,
        authorities: String? = nil,
        limits: Limits = Limits(),
        now: @escaping @Sendable () -> WallTime
    ) throws {
        self.location = location
        self.credentials = credentials
        self.limits = limits
        self.now = now
        var trust = TLSConfiguration.makeClientConfiguration()
        trust.minimumTLSVersion = .tlsv12
        if let authorities {
            trust.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(authorities))]
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: trust)
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: TimeAmount(limits.connectTimeout))
        // This client retries by itself, so that the first failure keeps its cause.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionCount
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    // Every request holds the client, so none is in progress.
    deinit { client.shutdown { _ in } }

    /// Sends a request until retrying would not change the response.
    ///
    /// - Throws: ``ObjectStorageError`` `unavailable` if every attempt failed, `CancellationError`.
    func perform(_ request: Request) async throws -> Response {
        let start = ContinuousClock.now
        let attempts = request.isCheck ? 1 : limits.attempts
        var pause = limits.pause
        for attempt in 1... {
            let failure: ObjectStorageError
            do {
                let response = try await send(request)
                guard response.isWorthRepeating(request) else { return response }
                failure = .init(request, .unavailable, response)
            } catch {
                try Task.checkCancellation()
                failure = .init(.unavailable, request.method.rawValue, request.object, cause: error)
            }
            guard attempt < attempts, start.duration(to: .now) < limits.timeout else { throw failure }
            // Random, so that requests refused together are not retried together.
            try await Task.sleep(for: pause * Double.random(in: 0.5...1.5))
            pause = pause * 2
        }
        preconditionFailure("the loop returns or throws")
    }

    /// Sends a request, and throws for every response except success; `acceptsMissing` takes 404 for one.
    @discardableResult
    func succeed(_ request: Request, acceptingMissing acceptsMissing: Bool = false) async throws -> Response {
        let response = try await perform(request)
        guard 200..<300 ~= response.status || acceptsMissing && response.status == 404 else {
            throw ObjectStorageError(request, response)
        }
        return response
    }

    private func send(_ request: Request) async throws -> Response {
        let path = location.path(of: request.key)
        let signature = RequestSignature(
            credentials: credentials,
            region: location.region,
            host: location.authority,
            time: now()
        )
        let fields = signature.headers(
            for: .init(
                method: request.method.rawValue,
                path: path,
                query: request.query,
                headers: request.headers,
                bodyDigest: request.digest
            )
        )
        let query = request.query.isEmpty ? "" : "?\(RequestSignature.query(request.query))"
        let scheme = location.isSecure ? "https" : "http"
        var wire = HTTPClientRequest(url: "\(scheme)://\(location.authority)\(path)\(query)")
        wire.method = request.method
        for field in fields { wire.headers.add(name: field.name, value: field.value) }
        if request.method == .PUT || request.method == .POST {
            wire.body =
                request.body.count <= BodyPieces.byteCount
                ? .bytes(ByteBuffer(bytes: request.body))
                : .stream(BodyPieces(body: request.body), length: .known(Int64(request.body.count)))
        }
        let response = try await client.execute(wire, timeout: TimeAmount(limits.timeout))
        var body = try await response.body.collect(upTo: request.responseByteCount)
        let bytes = body.readBytes(length: body.readableBytes) ?? []
        let isDocument = request.returnsDocument || response.status.code >= 300
        return Response(
            status: Int(response.status.code),
            headers: response.headers,
            body: bytes,
            document: isDocument ? StoreDocument(bytes) : nil
        )
    }
}

/// A request's body in pieces, so that it is not copied as a whole.
private struct BodyPieces: AsyncSequence, Sendable {
    /// The bytes of each piece but the last.
    static let byteCount = 256 << 10
    let body: [UInt8]

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var rest: ArraySlice<UInt8>

        mutating func next() async -> ByteBuffer? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(BodyPieces.byteCount) }
            return ByteBuffer(bytes: rest.prefix(BodyPieces.byteCount))
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: body[...]) }
}

extension ObjectClient.Request {
    /// The object concerned, for errors.
    var object: String { key.isEmpty ? "the bucket" : key }
}

extension ObjectClient.Response {
    /// Whether the failure is the store's, and a retry may succeed.
    func isWorthRepeating(_ request: ObjectClient.Request) -> Bool {
        switch status {
        case 400, 409: ["OperationAborted", "RequestTimeout"].contains(storeCode)
        case 408, 429: true
        case 501: false
        case 500...: true
        case 200: request.returnsDocument && [nil, "Error"].contains(document?.root)
        default: false
        }
    }

    /// The store's error code, for example `NoSuchKey`; empty if none.
    var storeCode: String {
        // It goes into logs and onto terminals.
        let code = document?.text("Code") ?? ""
        return 1...64 ~= code.utf8.count && code.utf8.allSatisfy(\.isASCIILetterOrDigit) ? code : ""
    }
}

extension ObjectStorageError {
    /// Translates an unsuccessful response.
    init(_ request: ObjectClient.Request, _ response: ObjectClient.Response) {
        let code: Code =
            switch (response.status, response.storeCode) {
            case (404, _): .notFound
            case (401, _), (403, _): .denied
            case (_, "BadDigest"), (_, "XAmzContentChecksumMismatch"), (_, "XAmzContentSHA256Mismatch"),
                (_, "InvalidDigest"):
                .damaged
            default: .refused
            }
        self.init(request, code, response)
    }

    init(_ request: ObjectClient.Request, _ code: Code, _ response: ObjectClient.Response, storeCode: String? = nil) {
        self.init(
            code,
            request.method.rawValue,
            request.object,
            status: response.status,
            storeCode: storeCode ?? response.storeCode
        )
    }
}
