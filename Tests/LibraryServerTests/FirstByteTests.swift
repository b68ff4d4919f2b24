import NIOCore
import NIOEmbedded
import Testing

@testable import LibraryServer

/// Connections that stay silent from their start.
struct FirstByteTests {
    /// Takes bytes as TLS does whose handshake is not complete.
    private final class Swallow: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
    }

    private func connect(patience: TimeAmount) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handlers: [Swallow(), PeerPace(patience: patience)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 40_000)).wait()
        return channel
    }

    @Test("T185: a peer that sends nothing is cut after ten seconds, one whose handshake has begun after a minute")
    func silence() throws {
        let silent = try connect(patience: .seconds(60))
        let slow = try connect(patience: .seconds(60))
        try slow.writeInbound(ByteBuffer(bytes: [0x16]))
        for channel in [silent, slow] { channel.embeddedEventLoop.advanceTime(by: .seconds(9)) }
        #expect(silent.isActive && slow.isActive)
        for channel in [silent, slow] { channel.embeddedEventLoop.advanceTime(by: .seconds(2)) }
        #expect(!silent.isActive && slow.isActive)
        slow.embeddedEventLoop.advanceTime(by: .seconds(50))
        #expect(!slow.isActive)
    }

    @Test("T185: where requests may take longer or less than a minute, so may the first byte")
    func patience() throws {
        let patient = try connect(patience: .seconds(600))
        patient.embeddedEventLoop.advanceTime(by: .seconds(99))
        #expect(patient.isActive)
        patient.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!patient.isActive)
        let brief = try connect(patience: .seconds(3))
        brief.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(!brief.isActive)
    }
}
