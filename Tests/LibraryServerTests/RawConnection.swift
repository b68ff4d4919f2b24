import DeviceIdentity
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

@testable import LibraryServer

/// A connection over TLS on which a test sends bytes as it likes, and reads when it likes.
struct RawConnection: Sendable {
    private let channel: any Channel
    private let received: Received

    /// Connects, with a device's certificate if there is one, and with no newer version of TLS than is named.
    ///
    /// The host is one of the server's addresses.
    static func open(
        to server: RunningServer,
        as device: TestDevice? = nil,
        newest version: TLSVersion? = nil,
        at host: String = "127.0.0.1"
    ) async throws -> RawConnection {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.maximumTLSVersion = version
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: server.environment.authority.authority.root.der, format: .der)
        ])
        if let device {
            tls.certificateChain = [
                .certificate(try NIOSSLCertificate(bytes: device.certificate.der, format: .der))
            ]
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(device.key.pem.utf8), format: .pem))
        }
        let context = try NIOSSLContext(configuration: tls)
        let received = Received()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handlers = channel.pipeline.syncOperations
                    try handlers.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    try handlers.addHandler(Collector(received))
                }
            }
            .connect(host: host, port: server.address.port)
            .get()
        return RawConnection(channel: channel, received: received)
    }

    /// Sends text.
    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Leaves whatever comes from now on in the system's buffers.
    func stopReading() async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    /// What came, as text.
    var text: String { received.text }

    /// Sends one byte every twentieth of a second until the server closes the connection; false when it never does.
    func dripUntilClosed() async throws -> Bool {
        for _ in 0..<1200 {
            guard channel.isActive else { return true }
            try? await send("a")
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Waits for text in what comes, for five minutes at most; false when the connection is closed without it.
    func waits(for text: String) async throws -> Bool {
        for _ in 0..<6000 {
            if received.text.contains(text) { return true }
            guard channel.isActive else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        return received.text.contains(text)
    }

    /// Closes.
    func close() async { try? await channel.close().get() }
}

/// What a connection received.
private final class Received: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let received: Received

    init(_ received: Received) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.append(Array(unwrapInboundIn(data).readableBytesView))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
