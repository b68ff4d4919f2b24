import Capture
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Persistence
import Synchronization

/// Fires on MQTT messages: a doorbell, a motion sensor, anything in the house.
///
/// A retained message does not fire: it is about the past. If the broker is gone, it reconnects until the broker
/// responds.
struct MQTTTrigger: TriggerSource {
    /// The interval of pings; a broker that sends nothing in between is gone.
    static let beat = Duration.seconds(20)

    let plan: MQTTPlan
    let clock: any CaptureClock
    /// Reads files.
    let pool: BlockingPool
    let logger: Logger
    /// The delay between connection attempts.
    var pause = Duration.seconds(5)

    var trigger: Trigger { Trigger(.message, name: plan.topic) }

    /// Why there are currently no messages.
    struct Interruption: Error, CustomStringConvertible {
        let description: String
    }

    func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        while true {
            do {
                try await listen(fire)
            } catch {
                try Task.checkCancellation()
                logger.warning(
                    "the MQTT broker is not connected; it is retried",
                    metadata: ["mqtt.broker": "\(plan.broker.host):\(plan.broker.port)", "reason": "\(error)"]
                )
            }
            try await clock.sleep(until: clock.reading().monotonic.advanced(by: pause))
        }
    }

    /// Connects, subscribes, and fires until the connection ends.
    private func listen(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        let (password, security) = try await pool.run { (try readPassword(), try makeSecurity()) }
        let greeting = MQTTPacket.connect(user: plan.user, password: password, silence: 60)
        let channel = try await connect(security)
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: greeting))
            let heard = Mark()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await beat(outbound) { heard.take() } }
                group.addTask {
                    var reader = MQTTReader()
                    for try await buffer in inbound {
                        heard.set()
                        reader.append(buffer.readableBytesView)
                        while let packet = try reader.next() {
                            if let answer = try handle(packet, fire) {
                                try await outbound.write(ByteBuffer(bytes: answer))
                            }
                        }
                    }
                    throw Interruption(description: "it hung up")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Whether something happened since the last check.
    private final class Mark: Sendable {
        private let isSet = Atomic<Bool>(true)

        func set() { isSet.store(true, ordering: .relaxed) }
        func take() -> Bool { isSet.exchange(false, ordering: .relaxed) }
    }

    /// Handles a packet; a message fires.
    private func handle(
        _ packet: MQTTPacket,
        _ fire: @Sendable (TriggerEvent) -> Void
    ) throws(Interruption) -> [UInt8]? {
        switch packet {
        case .connected(code: 0): return MQTTPacket.subscribe(to: plan.topic)
        case .connected(let code):
            let reasons: [UInt8: String] = [4: "user or password is wrong", 5: "this user may not connect"]
            throw Interruption(description: reasons[code] ?? "it refuses connections (code \(code))")
        case .subscribed(code: 0...2):
            logger.info("the MQTT broker is connected", metadata: ["mqtt.topic": "\(plan.topic)"])
        case .subscribed: throw Interruption(description: "this user may not subscribe to \(plan.topic)")
        case .message(_, let payload, isRetained: false):
            guard plan.payload.isEmpty || payload == Array(plan.payload.utf8) else { break }
            fire(TriggerEvent(trigger, at: clock.reading().monotonic))
        case .message, .alive, .other: break
        }
        return nil
    }

    /// Sends a ping, and fails if nothing was received since the last one.
    private func beat(
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ wasHeard: @Sendable () -> Bool
    ) async throws {
        while true {
            try await clock.sleep(until: clock.reading().monotonic.advanced(by: Self.beat))
            guard wasHeard() else { throw Interruption(description: "it has gone silent") }
            try await outbound.write(ByteBuffer(bytes: MQTTPacket.ping))
        }
    }

    private func connect(_ security: NIOSSLContext?) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let broker = plan.broker
        // A certificate for an address is compared with the connected address.
        let isAddress = (try? SocketAddress(ipAddress: broker.host, port: broker.port)) != nil
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(5))
            .connect(host: broker.host, port: broker.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let security {
                        let name = isAddress ? nil : broker.host
                        let handler = try NIOSSLClientHandler(context: security, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    private func makeSecurity() throws -> NIOSSLContext? {
        guard plan.broker.isEncrypted else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let file = plan.authorityFile { configuration.trustRoots = .file(file) }
        return try NIOSSLContext(configuration: configuration)
    }

    /// The first line of the password's file.
    private func readPassword() throws -> [UInt8]? {
        guard let file = plan.passwordFile else { return nil }
        guard let bytes = try PosixFileSystem().readAll(Path(file)) else {
            throw Interruption(description: "there is no file \(file) with the password")
        }
        return Array(bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }
}
