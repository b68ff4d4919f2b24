import DeviceIdentity
import FoundationEssentials
import HTTPTypes
import Hummingbird
import LibraryAPI
import NIOCore
import NIOPosix
import NIOSSL
import Observability
import Persistence
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer
@testable import LibraryStore

/// A change of rights finds the connection of whoever is being answered, whenever it comes.
struct ActiveRequestsTests {
    private let active = ActiveRequests()
    private let party = Party.device(DeviceID(rawValue: 1))

    @Test("T17: a change that comes while the caller's rights are read closes the connection")
    func whileRightsAreRead() async throws {
        try await withConnection { channel in
            _ = try await active.answering(party, on: channel) {
                // What the gate is about to say may be older than this.
                active.close(party)
                return Response(status: .ok)
            }
            #expect(try await isClosed(channel))
        }
    }

    @Test("T17: a change that comes between an answer and its body closes the connection")
    func beforeTheBody() async throws {
        try await withConnection { channel in
            let answer = try await active.answering(party, on: channel) {
                #expect(active.deviceCount == 1)
                return Response(status: .ok)
            }
            #expect(active.deviceCount == 1)
            active.close(party)
            #expect(try await isClosed(channel))
            try await answer.body.write(NowhereWriter())
            #expect(active.deviceCount == 0)
        }
    }

    @Test("T56: a response ends with the certificate that opened it")
    func expiry() async throws {
        try await withConnection { channel in
            let isValid = Mutex(true)
            let answer = try await active.answering(party, on: channel, while: { isValid.withLock(\.self) }) {
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(string: "in time"))
                        isValid.withLock { $0 = false }
                        try await writer.write(ByteBuffer(string: "too late"))
                    }
                )
            }
            let written = Mutex("")
            await #expect(throws: CancellationError.self) {
                try await answer.body.write(NotingWriter { text in written.withLock { $0 += text } })
            }
            #expect(written.withLock(\.self) == "in time")
            #expect(active.deviceCount == 0)
        }
    }

    @Test("a refusal, an answer that is dropped and one that hangs on no right leave nothing behind to be closed")
    func leavesNothing() async throws {
        try await withConnection { channel in
            await #expect(throws: CancellationError.self) {
                try await active.answering(party, on: channel) { throw CancellationError() }
            }
            _ = try await active.answering(party, on: channel) { Response(status: .ok) }
            #expect(active.deviceCount == 0)
            _ = try await active.answering(nil, on: channel) {
                #expect(active.deviceCount == 0)
                return Response(status: .ok)
            }
            active.close(party)
            let isClosed = try await isClosed(channel)
            #expect(!isClosed)
        }
    }

    @Test("T17: a route notes its caller before the gate reads rights: a login that ends then closes the connection")
    func beforeTheGate() async throws {
        let folder = try TemporaryFolder()
        let login = WebSessionID(rawValue: 7)
        // The store asks for the time once it has read a record, so that the login ends just then: when the cookie is
        // looked up, with nobody to be closed, and when the gate has read it.
        let store = try store(in: folder.path) { [active] in active.close(.webSession(login)) }
        let document = WebLoginDocument(name: "ana", isLink: false, csrfToken: "", address: nil, created: .now())
        let record = StoredRecord(
            id: RecordID(rawValue: login.rawValue),
            secondary: ContentHasher.digest("secret".utf8),
            document: try document.text()
        )
        _ = try await store.updateRecord(record.id, of: .webLogin, audit: nil) { _ in record }
        var registry = registry(over: store)
        try registry.on(.adminDevices) { _, _ in Response(status: .ok) }
        let responder = registry.router.buildResponder()
        let request = Request(
            head: HTTPRequest(
                method: .get,
                scheme: "https",
                authority: "library",
                path: Endpoint.adminDevices.template,
                headerFields: [.cookie: "\(OperatorRoutes.cookie)=secret"]
            ),
            body: RequestBody(buffer: ByteBuffer())
        )
        try await withConnection { channel in
            let source = ApplicationRequestContextSource(channel: channel, logger: RunningServer.silence)
            let answer = try await responder.respond(to: request, context: ServerContext(source: source))
            #expect(answer.status == .ok, "the gate had read the login before it ended")
            #expect(try await isClosed(channel))
        }
    }

    /// A store that calls whenever it asks for the time.
    private func store(in folder: String, _ called: @escaping @Sendable () -> Void) throws -> SQLMetadataStore {
        let blocking = BlockingPool(width: 2)
        let layout = LibraryLayout(root: Path(folder))
        return try SQLMetadataStore(
            over: SQLiteRowStore(layout, isNew: true, timeZone: .gmt, blocking: blocking),
            library: LibraryID(rawValue: 1),
            isNew: true,
            effects: StoreEffects(
                now: {
                    called()
                    return .now()
                },
                randomBits: { UInt128.random(in: .min ... .max) },
                signer: ReceiptKeySigner(key: ReceiptKey(DeviceKey()))
            ),
            blocking: blocking
        )
    }

    /// A registry without routes, whose callers are noted in `active`.
    private func registry(over store: SQLMetadataStore) -> RouteRegistry {
        let passwords = Passwords(store: store, now: { .now() })
        return RouteRegistry(
            router: Router(context: ServerContext.self),
            gate: Gate(store: store),
            authenticator: Authenticator(
                peers: PeerIdentities(authorities: TrustedAuthorities(intermediates: [])),
                logins: WebLogins(store: store, passwords: passwords, active: active, now: { .now() }),
                proxy: ProxySettings(keys: [], certificateField: "", addressField: "")
            ),
            guards: RequestGuards(
                load: LoadLimit(maximumCount: 1, refusal: ""),
                bodies: LoadLimit(maximumCount: 1, refusal: ""),
                addresses: AddressLimit(perMinute: 1),
                pace: BodyPace(bytesPerSecond: 0, span: .seconds(1)),
                denials: DenialJournal(store: store, logger: RunningServer.silence)
            ),
            active: active,
            metrics: ServerMetrics(registry: MetricsRegistry()),
            now: { .now() }
        )
    }

    /// Runs `body` with something that can be closed, over which nobody has shown a certificate.
    private func withConnection(_ body: (any Channel) async throws -> Void) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([])
        let context = try NIOSSLContext(configuration: tls)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handlers = channel.pipeline.syncOperations
                    try handlers.addHandler(HandshakeDelay())
                    try handlers.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        do {
            try await body(channel)
        } catch {
            try? await channel.close().get()
            throw error
        }
        try? await channel.close().get()
    }

    /// Whether a connection is closed, after its loop has done what it was told until now.
    private func isClosed(_ channel: any Channel) async throws -> Bool {
        try await channel.eventLoop.submit {}.get()
        return !channel.isActive
    }
}

/// Keeps TLS from beginning its handshake: what has no other side would wait for one when it is closed.
private final class HandshakeDelay: ChannelInboundHandler {
    typealias InboundIn = Never

    func channelActive(context: ChannelHandlerContext) {}
}

/// Takes a body, which nobody reads.
private struct NowhereWriter: ResponseBodyWriter {
    func write(_ buffer: ByteBuffer) async throws {}

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

private struct NotingWriter: ResponseBodyWriter {
    let note: @Sendable (String) -> Void

    func write(_ buffer: ByteBuffer) async throws { note(String(buffer: buffer)) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
