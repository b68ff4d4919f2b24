import CaptureTestSupport
import Foundation
import Persistence
import PhotoLibrary
import PhotoModel
import TestSupport
import Testing

@testable import AgentCapture
@testable import AgentService

/// Clients of the agent's socket that do not read, or read slowly.
extension ControlServerTests {
    /// A program with connections, each with a request whose answer has begun, and is read only as far as it is told.
    private final class Clients {
        private static let script = """
            import socket, sys
            path, target, count = sys.argv[1:]
            open = []
            for _ in range(int(count)):
                one = socket.socket(socket.AF_UNIX)
                one.connect(path)
                one.sendall(f"GET {target} HTTP/1.1\\r\\nHost: box\\r\\n\\r\\n".encode())
                one.recv(1)
                open.append(one)
            print("asked", flush=True)
            for line in sys.stdin:
                left = int(line)
                while left > 0:
                    part = open[0].recv(min(left, 65536))
                    if not part: sys.exit(3)
                    left -= len(part)
                print(line.strip(), flush=True)
            """

        private let program = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ folder: TemporaryFolder, _ target: String, count: Int) async throws {
            program.executableURL = URL(filePath: "/usr/bin/env")
            program.arguments = ["python3", "-c", Self.script, "\(folder.path)/agent.sock", target, "\(count)"]
            program.standardInput = input
            program.standardOutput = output
            try program.runAlone()
            try #require(await line() == "asked")
        }

        deinit {
            program.terminate()
            program.waitUntilExit()
        }

        /// Has the first connection read so many bytes; false if it ended before.
        func read(_ byteCount: Int) async throws -> Bool {
            try input.fileHandleForWriting.write(contentsOf: Data("\(byteCount)\n".utf8))
            return try await line() == "\(byteCount)"
        }

        /// The next line that the program prints; what came before its end if there is none.
        private func line() async throws -> String {
            let file = output.fileHandleForReading
            return try await offTheSharedThreads {
                var line = Data()
                while let byte = try file.read(upToCount: 1), byte != Data("\n".utf8) { line += byte }
                return String(decoding: line, as: UTF8.self)
            }
        }
    }

    /// Bytes that do not fit into the buffers of the socket and the server.
    private static let longByteCount = 1 << 20

    private static let picture = [UInt8](repeating: 7, count: 4 * longByteCount)

    /// A long preview, and short answers to everything else.
    private static func answer(to request: ControlServer.Request) -> ControlServer.Answer {
        ControlServer.Answer(status: 200, body: request.path == "/v1/preview" ? picture : Array("{}".utf8))
    }

    @Test("000.25: followers that do not read are cut when their time is over")
    func unreadEvents() async throws {
        let clock = SimulatedClock(participants: 0)
        let source = CaptureEvents()
        try await serve(clock: clock) { request in
            request.path == "/v1/events"
                ? ControlServer.Answer(source.stream()) : ControlServer.Answer(status: 200, body: [])
        } body: { folder in
            let clients = try await Clients(folder, "/v1/events", count: ControlServer.eventReaderLimit)
            try await eventually("all of them follow") { source.readerCount == ControlServer.eventReaderLimit }
            let event = CaptureEvent(
                .finished,
                id: AssetID(rawValue: 7),
                profile: String(repeating: "x", count: Self.longByteCount),
                camera: "c",
                trigger: "command",
                isLivePhoto: true
            )
            source.send(event)
            try await eventually("none of them follows") {
                await clock.advance(by: UnreadDeadline.patience)
                return source.readerCount == 0
            }
            withExtendedLifetime(clients) {}
        }
    }

    @Test("A client that reads slowly gets its whole answer, however long that takes")
    func slowReader() async throws {
        let clock = SimulatedClock(participants: 0)
        try await serve(clock: clock) { request in
            Self.answer(to: request)
        } body: { folder in
            let client = try await Clients(folder, "/v1/preview", count: 1)
            // Each pause is shorter than what a client has for a piece, and all together are longer.
            for _ in 0..<4 {
                await clock.advance(by: UnreadDeadline.patience * 2 / 3)
                try #require(await client.read(Self.longByteCount))
            }
        }
    }
}
