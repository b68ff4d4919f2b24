import Capture
import CaptureLinux
import Foundation
import Host
import LibraryClient
import Logging
import NIOCore
import NIOPosix
import Persistence
import PhotoLibrary
import PhotoModel
import ServiceLifecycle
import TestSupport
import Testing
import Yams

@testable import AgentCapture
@testable import AgentService

struct ControlServerTests {
    /// Runs a server with a handler, and the body beside it.
    func serve(
        clock: any CaptureClock = SystemCaptureClock(),
        _ handler: @escaping @Sendable (ControlServer.Request) async -> ControlServer.Answer,
        body: (TemporaryFolder) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let path = folder.path.appending("agent.sock")
        let group = ServiceGroup(
            services: [ControlServer(path: path, clock: clock, logger: logger, handler: handler)],
            logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await eventually("it listens") {
                try await ControlClient(socketPath: "\(folder.path)/agent.sock") != nil
            }
            try await body(folder)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(try PosixFileSystem().status(path) == nil, "the socket goes with the server")
    }

    @Test("Any HTTP client reaches the agent through the socket, one request after the other")
    func curl() async throws {
        try await serve { request in
            ControlServer.Answer(
                status: 200,
                body: Array("\(request.method) \(request.path) \(request.body.count)".utf8)
            )
        } body: { folder in
            let socket = folder.path.appending("agent.sock").text
            let outcome = try ChildProcess.run(
                "curl",
                ["-s", "--unix-socket", socket, "http://box/v1/a?x=1", "http://box/v1/b", "-d", "{}"]
            )
            #expect(outcome.text == "POST /v1/a 2POST /v1/b 2")
            let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
            #expect(mode == 0o660)
        }
    }

    @Test("A refusal keeps its exit status over the socket; a body beyond its limit is refused")
    func refusals() async throws {
        try await serve { request in
            request.body.isEmpty || request.path == "/v1/alive"
                ? ControlServer.Answer(AgentError(.notAllowed, "not you"))
                : ControlServer.Answer(AgentError(.full, "no room"))
        } body: { folder in
            let client = try #require(try await ControlClient(socketPath: "\(folder.path)/agent.sock"))
            let denied = await #expect(throws: AgentError.self) { _ = try await client.status() }
            #expect(denied?.exit == .notAllowed && denied?.description == "not you")
            let full = await #expect(throws: AgentError.self) { _ = try await client.capture(CaptureOrder()) }
            #expect(full?.exit == .full)
            let socket = folder.path.appending("agent.sock").text
            try folder.write("long", [UInt8](repeating: 32, count: ControlServer.bodyLimit + 1))
            let outcome = try ChildProcess.run(
                "curl",
                [
                    "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket, "http://box/v1/a",
                    "--data-binary", "@\(folder.path)/long",
                ]
            )
            #expect(outcome.text == "400")
        }
    }

    @Test("A client that is connected and says nothing does not keep the agent from ending")
    func idleClient() async throws {
        let client = Process()
        let words = Pipe()
        try await serve { _ in
            ControlServer.Answer(status: 200, body: [])
        } body: { folder in
            client.executableURL = URL(filePath: "/usr/bin/env")
            let script =
                "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(1,flush=True)"
            client.arguments = ["python3", "-c", script + "; s.recv(1)", "\(folder.path)/agent.sock"]
            client.standardOutput = words
            try client.runAlone()
            #expect(!words.fileHandleForReading.availableData.isEmpty)
        }
        client.waitUntilExit()
        #expect(client.terminationStatus == 0)
    }

    @Test("Clients that connect while the agent ends are closed, and do not end it otherwise", arguments: 0..<10)
    func lateClients(_ round: Int) async throws {
        let client = Process()
        let words = Pipe()
        try await serve { _ in
            ControlServer.Answer(status: 200, body: [])
        } body: { folder in
            client.executableURL = URL(filePath: "/usr/bin/env")
            let script = """
                import socket, sys
                open, told = [], 0
                try:
                    while True:
                        one = socket.socket(socket.AF_UNIX)
                        one.connect(sys.argv[1])
                        open = (open + [one])[-20:]
                        if told < 50: print(1, flush=True)
                        told += 1
                except OSError:
                    pass
                for one in open:
                    try: one.recv(1)
                    except OSError: pass
                """
            client.arguments = ["python3", "-c", script, "\(folder.path)/agent.sock"]
            client.standardOutput = words
            try client.runAlone()
            var told = 0
            while told <= 2 * round {
                let more = words.fileHandleForReading.availableData.count
                try #require(more > 0)
                told += more
            }
        }
        client.waitUntilExit()
        #expect(client.terminationStatus == 0)
    }

    @Test("000.25: programs follow events over the socket until the agent ends; a seventeenth is told to wait")
    func events() async throws {
        let source = CaptureEvents()
        let (told, teller) = AsyncStream<CaptureEvent>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { followers in
            try await serve { request in
                request.path == "/v1/events"
                    ? ControlServer.Answer(source.stream()) : ControlServer.Answer(status: 200, body: [])
            } body: { folder in
                let camera = Camera(agentPath: folder.path.text)
                for _ in 0..<ControlServer.eventReaderLimit {
                    followers.addTask {
                        for try await event in camera.events() { teller.yield(event) }
                    }
                }
                try await eventually("all of them follow") { source.readerCount == ControlServer.eventReaderLimit }
                let error = await #expect(throws: PhotoLibraryError.self) {
                    for try await _ in camera.events() {}
                }
                #expect(error?.code == .camera && error?.description.contains("16") == true)

                let event = CaptureEvent(
                    .finished,
                    id: AssetID(rawValue: 7),
                    profile: "gate\n\ndata: x",
                    camera: "c",
                    trigger: "command",
                    isLivePhoto: true
                )
                source.send(event)
                var heard = told.makeAsyncIterator()
                for _ in 0..<ControlServer.eventReaderLimit { #expect(await heard.next() == event) }
            }
            // Each follower's sequence ends with the agent, without an error.
            try await followers.waitForAll()
        }
        #expect(source.readerCount == 0)
    }

    @Test("000.25: on the socket an event has its kind as name and itself as data, behind a comment")
    func eventLines() async throws {
        let source = CaptureEvents()
        try await serve { request in
            request.path == "/v1/events"
                ? ControlServer.Answer(source.stream()) : ControlServer.Answer(status: 200, body: [])
        } body: { folder in
            let event = CaptureEvent(
                .didCapture,
                id: AssetID(rawValue: 7),
                profile: "gate",
                camera: "c",
                trigger: "command",
                isLivePhoto: false
            )
            let (pieces, arriving) = AsyncStream<[UInt8]>.makeStream()
            var request = TransportRequest("GET", "/v1/events")
            request.sink = { arriving.yield(Array($0)) }
            let socket = try #require(try AgentSocket(path: folder.path.appending("agent.sock").text))
            let following = Task { [request] in
                defer { arriving.finish() }
                _ = try await socket.send(request)
            }
            let data = String(decoding: try JSONText.bytes(event), as: UTF8.self)
            let expected = ": following\n\nevent: didCapture\ndata: \(data)\n\n"
            var text = ""
            for await piece in pieces {
                if text.isEmpty { source.send(event) }
                text += String(decoding: piece, as: UTF8.self)
                if text.utf8.count >= expected.utf8.count { break }
            }
            #expect(text == expected)
            following.cancel()
            _ = await following.result
        }
    }

    @Test("000.25: a program that goes away is not told events any more")
    func followerLeaves() async throws {
        let source = CaptureEvents()
        try await serve { request in
            request.path == "/v1/events"
                ? ControlServer.Answer(source.stream()) : ControlServer.Answer(status: 200, body: [])
        } body: { folder in
            let camera = Camera(agentPath: folder.path.text)
            let follower = Task { for try await _ in camera.events() {} }
            try await eventually("it follows") { source.readerCount == 1 }
            follower.cancel()
            try await eventually("it is forgotten") { source.readerCount == 0 }
        }
    }

    @Test("Connections that say nothing make room for one that does")
    func silentConnections() async throws {
        let client = Process()
        let words = Pipe()
        try await serve { _ in
            ControlServer.Answer(status: 200, body: Array("{}".utf8))
        } body: { folder in
            client.executableURL = URL(filePath: "/usr/bin/env")
            let script = """
                import socket, sys
                open = []
                for _ in range(\(ControlServer.connectionLimit)):
                    one = socket.socket(socket.AF_UNIX)
                    one.connect(sys.argv[1])
                    open.append(one)
                print(1, flush=True)
                for one in open: one.recv(1)
                """
            client.arguments = ["python3", "-c", script, "\(folder.path)/agent.sock"]
            client.standardOutput = words
            try client.runAlone()
            #expect(!words.fileHandleForReading.availableData.isEmpty)
            for _ in 0..<4 {
                let control = try #require(try await ControlClient(socketPath: "\(folder.path)/agent.sock"))
                _ = try await control.status()
            }
        }
        client.waitUntilExit()
        #expect(client.terminationStatus == 0)
    }

    @Test("Camera says what is missing, and what the agent refused")
    func cameraErrors() async throws {
        let folder = try TemporaryFolder()
        let absent = await #expect(throws: PhotoLibraryError.self) {
            try await Camera(agentPath: folder.path.text).capture()
        }
        #expect(absent?.code == .notRunning)
        let expected: [(AgentError, PhotoLibraryError.Code)] = [
            (AgentError(.notAllowed, "not you"), .notAuthorized), (AgentError(.usage, "no profile x"), .invalid),
            (AgentError(.full, "no room"), .storage), (AgentError(.failed, "no frame"), .camera),
        ]
        for (refusal, code) in expected {
            try await serve { request in
                request.path == "/v1/alive"
                    ? ControlServer.Answer(status: 200, body: []) : ControlServer.Answer(refusal)
            } body: { folder in
                let camera = Camera(agentPath: folder.path.text)
                let error = await #expect(throws: PhotoLibraryError.self) { try await camera.preview(of: "a/b") }
                #expect(error?.code == code && error?.description == refusal.description)
            }
        }
    }

    @Test("docs/agent-openapi.yaml describes the routes and the fields that there are")
    func description() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/agent-openapi.yaml")
        let root = try #require(try Yams.compose(yaml: String(contentsOf: file, encoding: .utf8)))
        var described: Set<String> = []
        for (path, item) in try #require(root["paths"]?.mapping) {
            for (method, _) in try #require(item.mapping) {
                described.insert("\(method.string?.uppercased() ?? "") \(path.string ?? "")")
            }
        }
        #expect(described == Set(ControlRoutes.routes))
        func fields(_ schema: String) -> Set<String> {
            Set(root["components"]?["schemas"]?[schema]?["properties"]?.mapping?.keys.compactMap(\.string) ?? [])
        }
        var event = CaptureEvent(
            .finished,
            id: AssetID(rawValue: 7),
            profile: "gate",
            camera: "c",
            trigger: "command",
            isLivePhoto: true
        )
        event.captureTime = CaptureTime(wall: HostClock.now(), source: .deviceClock, isSynchronized: true)
        (event.lagMilliseconds, event.byteCount, event.problem) = (1, 1, "x")
        let sent = try JSONSerialization.jsonObject(with: Data(try JSONText.bytes(event)))
        #expect(fields("CaptureEvent") == Set(try #require(sent as? [String: Any]).keys))
        #expect(fields("CaptureOrder") == Set(CaptureOrder.CodingKeys.allCases.map(\.rawValue)))
        let least = #"{"queue": {}, "waitingBytes": 0, "holds": {}, "freeBytes": 0}"#
        let status = try JSONDecoder().decode(StatusDocument.self, from: Data(least.utf8))
        #expect(fields("Status") == Set(Mirror(reflecting: status).children.compactMap(\.label)))
        let kinds = root["components"]?["schemas"]?["CaptureEvent"]?["properties"]?["kind"]?["enum"]?.sequence
        #expect(kinds?.compactMap(\.string) == CaptureEvent.Kind.allCases.map(\.rawValue))
    }

    @Test("Without an agent, or with a socket that a crash left, there is nobody to ask")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        #expect(try await ControlClient(socketPath: "\(folder.path)/agent.sock") == nil)
        let left = try ChildProcess.run(
            "python3",
            ["-c", "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", "\(folder.path)/agent.sock"]
        )
        #expect(left.status == 0, "\(left.errors)")
        #expect(try await ControlClient(socketPath: "\(folder.path)/agent.sock") == nil)
    }
}

struct HookProgramTests {
    @Test(
        "A program's status is told, also when a signal ends it",
        arguments: [("true", 0), ("exit 3", 3), ("kill -9 $$", 137)]
    )
    func status(script: String, expected: Int32) throws {
        #expect(try HookProgram.run("/bin/sh", ["-c", script], within: .seconds(300)) == expected)
    }

    @Test("A program that hangs is killed at its limit")
    func hangs() throws {
        // Left alone it would end by itself, with 0.
        #expect(try HookProgram.run("/bin/sleep", ["600"], within: .milliseconds(100)) == 137)
    }

    @Test("A program that is not there is said so")
    func missing() {
        let error = #expect(throws: AgentError.self) { try HookProgram.run("/nowhere/hook", [], within: .seconds(1)) }
        #expect(error?.description.contains("/nowhere/hook") == true)
    }
}

struct PositionTests {
    @Test(
        "A gpsd's report gives a place only with a fix, and its height only with one of three dimensions",
        arguments: [
            (#"{"class":"TPV","mode":3,"lat":47.3769,"lon":8.5417,"altMSL":408.5}"#, true, 408.5),
            (#"{"class":"TPV","mode":2,"lat":47.3769,"lon":8.5417,"altMSL":408.5}"#, true, nil),
            (#"{"class":"TPV","mode":1,"lat":47.3769,"lon":8.5417}"#, false, nil),
            (#"{"class":"TPV","mode":3,"lat":147,"lon":8}"#, false, nil),
        ] as [(String, Bool, Double?)]
    )
    func reports(line: String, hasPlace: Bool, altitude: Double?) throws {
        let report = try #require(GPSDReport(line: Array(line.utf8)))
        #expect((report.location != nil) == hasPlace && report.location?.altitude == altitude)
    }

    @Test("The place comes from a gpsd once it has a fix, and is not said any more when its connection ends")
    func service() async throws {
        let source = PositionSource(fixed: nil)
        let (asked, asking) = AsyncStream<String>.makeStream()
        let (answers, answer) = AsyncStream<String>.makeStream()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let port = try #require(server.channel.localAddress?.port)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = PositionService("127.0.0.1:\(port)", source, clock: SystemCaptureClock(), logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            group.addTask {
                try await server.executeThenClose { connections in
                    for try await connection in connections {
                        try await connection.executeThenClose { inbound, outbound in
                            for try await request in inbound {
                                asking.yield(String(buffer: request))
                                break
                            }
                            for await text in answers { try await outbound.write(ByteBuffer(string: text)) }
                        }
                        return
                    }
                }
            }
            var requests = asked.makeAsyncIterator()
            #expect(await requests.next()?.hasPrefix("?WATCH={") == true)
            // In pieces, as a network delivers them.
            for text in ["{\"class\":\"SKY\"}\n{\"class\":\"TPV\",\"mode\":3,", "\"lat\":47.5,\"lon\":8.5}\n"] {
                answer.yield(text)
            }
            try await eventually("the place is known") { source.location?.latitude == 47.5 }
            answer.finish()
            try await eventually("it is not known any more") { source.location == nil }
            group.cancelAll()
        }
    }

    @Test("Other reports and nonsense say nothing", arguments: [#"{"class":"SKY"}"#, "", "nonsense", "[]"])
    func others(line: String) {
        #expect(GPSDReport(line: Array(line.utf8)) == nil)
    }

    @Test("A receiver's place goes above the settings', until it loses it")
    func sources() {
        let fixed = Location(latitude: 1, longitude: 2)
        let source = PositionSource(fixed: fixed)
        #expect(source.location == fixed)
        source.update(Location(latitude: 3, longitude: 4))
        #expect(source.location?.latitude == 3)
        source.update(nil)
        #expect(source.location == fixed)
    }
}
