package import Capture
import FoundationEssentials
package import Logging
import NIOCore
import NIOPosix
import PhotoModel
import ServiceLifecycle

/// Gets the box's position from gpsd, reconnecting whenever the connection ends (gpsd_json(5)).
package struct PositionService: Service {
    /// The delay between connection attempts.
    static let pause = Duration.seconds(10)
    /// The longest accepted line, in bytes.
    static let longestLine = 64 << 10

    private let host: String
    private let port: Int
    private let position: PositionSource
    private let clock: any CaptureClock
    private let logger: Logger

    /// Creates a client of a server, `host:port`, or just a host for gpsd's default port 2947; `position` receives each
    /// fix.
    package init(_ server: String, _ position: PositionSource, clock: any CaptureClock, logger: Logger) {
        let parts = server.split(separator: ":", maxSplits: 1)
        host = parts.first.map(String.init) ?? "localhost"
        port = parts.count > 1 ? Int(parts[1]) ?? 2947 : 2947
        self.position = position
        self.clock = clock
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await listen()
                } catch {
                    logger.debug("gpsd does not answer", metadata: ["error": "\(error)"])
                }
                // An unconfirmed position is no longer reported.
                position.update(nil)
                try? await clock.sleep(until: clock.reading().monotonic.advanced(by: Self.pause))
            }
        }
    }

    private func listen() async throws {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: #"?WATCH={"enable":true,"json":true};"# + "\n"))
            var line: [UInt8] = []
            for try await buffer in inbound {
                for byte in buffer.readableBytesView {
                    if byte == UInt8(ascii: "\n") {
                        if let report = GPSDReport(line: line) { position.update(report.location) }
                        line = []
                    } else if line.count < Self.longestLine {
                        line.append(byte)
                    }
                }
            }
        }
    }
}

/// A position report of gpsd (class `TPV`).
struct GPSDReport: Hashable, Sendable {
    /// The location; nil without a fix.
    let location: Location?

    private struct Fields: Decodable {
        let `class`: String
        let mode: Int?
        let lat: Double?
        let lon: Double?
        let altMSL: Double?
        let alt: Double?
    }

    /// Parses a line; nil for other classes and invalid JSON.
    init?(line: [UInt8]) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line)), fields.class == "TPV" else {
            return nil
        }
        // Mode 2 is a 2D fix, 3 one with altitude.
        guard let mode = fields.mode, mode >= 2, let latitude = fields.lat, let longitude = fields.lon else {
            location = nil
            return
        }
        let altitude = mode >= 3 ? fields.altMSL ?? fields.alt : nil
        location = Location(latitude: latitude, longitude: longitude, altitude: altitude)
    }
}
