import Capture
import CaptureLinux
import Foundation
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import AgentCapture

/// The trigger against mosquitto, a broker that others wrote.
struct MQTTTriggerTests {
    /// A broker in a folder of its own.
    private final class Broker {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        /// Below those that the system gives to connections going out: none of them can be in the way.
        let port = Int.random(in: 10_000..<32_000)
        /// Lines of its settings.
        var settings = ["allow_anonymous true"]
        /// What whoever talks to it must know.
        var access: [String] = []
        private var process: Process?

        /// A broker that does not run yet.
        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit {
            end()
            try? FileManager.default.removeItem(at: folder)
        }

        func file(_ name: String) -> String { folder.appending(path: name).path }

        func start() throws {
            let text = ["user root", "persistence false", "listener \(port) localhost"] + settings
            try (text.joined(separator: "\n") + "\n").write(toFile: file("conf"), atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            let path =
                "PATH=/usr/local/sbin:/usr/sbin:/sbin:\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")"
            process.arguments = [path, "mosquitto", "-v", "-c", file("conf")]
            let log = try FileHandle(forWritingTo: Self.created(file("log")))
            process.standardOutput = log
            process.standardError = log
            try process.runAlone()
            self.process = process
        }

        func end() {
            guard let process else { return }
            // Threads of the test runner block the milder signals, and their children inherit that.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            self.process = nil
        }

        /// Says something to it as an outside program does; false while it does not answer.
        func publish(_ payload: String, on topic: String, _ more: [String] = []) throws -> Bool {
            let arguments = access + ["-h", "localhost", "-p", "\(port)", "-t", topic, "-m", payload] + more
            return try ChildProcess.run("mosquitto_pub", arguments).status == 0
        }

        func log() throws -> String { try String(contentsOfFile: file("log"), encoding: .utf8) }

        private static func created(_ path: String) throws -> URL {
            try Data().write(to: URL(filePath: path))
            return URL(filePath: path)
        }
    }

    /// Runs a trigger while the body says things to its broker; what fired is counted.
    private func run(_ plan: MQTTPlan, body: (@escaping @Sendable () -> Int) async throws -> Void) async throws {
        let trigger = MQTTTrigger(
            plan: plan,
            clock: SystemCaptureClock(),
            pool: BlockingPool(width: 1),
            logger: CaptureBench.logger,
            pause: .milliseconds(50)
        )
        let count = Fired()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await trigger.run { event in
                    if event.trigger == Trigger(.message, name: plan.topic) { count.value.add(1, ordering: .relaxed) }
                }
            }
            try await body { count.value.load(ordering: .relaxed) }
            group.cancelAll()
        }
    }

    private final class Fired: Sendable {
        let value = Atomic<Int>(0)
    }

    private func plan(_ broker: Broker, isEncrypted: Bool = false, payload: String = "pressed") throws -> MQTTPlan {
        var address = try #require(MQTTPlan.Broker("localhost:\(broker.port)"))
        address.isEncrypted = isEncrypted
        return MQTTPlan(broker: address, topic: "hall/+", payload: payload)
    }

    /// Says it once, to whoever the broker's log says has subscribed since it started, and waits until it is heard.
    private func ring(_ broker: Broker, until count: () -> Int, is expected: Int) async throws {
        try await eventually("the trigger has subscribed") { try broker.log().contains("Sending SUBACK") }
        #expect(try broker.publish("pressed", on: "hall/bell"))
        try await eventually("the bell is heard") { count() >= expected }
        #expect(count() == expected)
    }

    @Test("A message fires; another payload, another topic, one that was kept, and one too long to be meant do not")
    func fires() async throws {
        let broker = try Broker()
        try broker.start()
        try await eventually("the broker answers") { try broker.publish("pressed", on: "hall/kept", ["-r"]) }
        try await run(try plan(broker)) { count in
            try await ring(broker, until: count, is: 1)
            // Messages come in the order in which they were sent: when the last one is there, so are the others.
            for (payload, topic) in [("released", "hall/bell"), ("pressed", "cellar/bell"), ("pressed", "hall/a/b")] {
                #expect(try broker.publish(payload, on: topic))
            }
            try Data(repeating: 65, count: 1 << 20).write(to: URL(filePath: broker.file("picture")))
            let picture = [
                "-h", "localhost", "-p", "\(broker.port)", "-t", "hall/picture", "-f", broker.file("picture"),
            ]
            #expect(try ChildProcess.run("mosquitto_pub", picture).status == 0)
            #expect(try broker.publish("pressed", on: "hall/last", ["-q", "2"]))
            try await eventually("the last message is heard") { count() > 1 }
            #expect(count() == 2)
        }
    }

    @Test("A trigger waits for its broker, and calls it again when it was away")
    func reconnects() async throws {
        let broker = try Broker()
        try await run(try plan(broker, payload: "")) { count in
            for times in 1...2 {
                try broker.start()
                try await ring(broker, until: count, is: times)
                broker.end()
            }
        }
    }

    @Test(
        "An encrypted broker with a password is heard by who knows its authority and the password, and by nobody else"
    )
    func access() async throws {
        let broker = try Broker()
        try makeCertificate(for: broker)
        let made = try ChildProcess.run("mosquitto_passwd", ["-b", "-c", broker.file("users"), "box", "secret"])
        try #require(made.status == 0, "\(made.errors)")
        broker.settings = [
            "allow_anonymous false", "password_file \(broker.file("users"))", "certfile \(broker.file("certificate"))",
            "keyfile \(broker.file("key"))",
        ]
        broker.access = ["--cafile", broker.file("certificate"), "-u", "box", "-P", "secret"]
        try "secret\n".write(toFile: broker.file("password"), atomically: true, encoding: .utf8)
        try "wrong\n".write(toFile: broker.file("wrong"), atomically: true, encoding: .utf8)
        try broker.start()
        var plan = try plan(broker, isEncrypted: true)
        plan.user = "box"
        plan.passwordFile = broker.file("password")
        plan.authorityFile = broker.file("certificate")
        try await run(plan) { count in try await ring(broker, until: count, is: 1) }
        plan.passwordFile = broker.file("wrong")
        try await run(plan) { count in
            try await eventually("the wrong password is refused") { try broker.log().contains("not authorised") }
            #expect(count() == 0)
        }
        plan.authorityFile = nil
        try await run(plan) { count in
            // The system trusts no such authority: the trigger hangs up before it says who it is.
            try await eventually("the broker is not believed") { try broker.log().contains("alert unknown ca") }
            #expect(count() == 0)
        }
    }

    /// A certificate for this machine that is its own authority.
    private func makeCertificate(for broker: Broker) throws {
        let made = try ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", broker.file("key"),
                "-out", broker.file("certificate"),
            ]
        )
        try #require(made.status == 0, "\(made.errors)")
    }
}
