import Glibc
import Observability
import Synchronization
import Testing

struct ServiceManagerTests {
    @Test("Without a manager that asks, there is none", arguments: [nil, "", "relative/path"] as [String?])
    func none(socket: String?) {
        #expect(ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? socket : nil }) == nil)
    }

    @Test(
        "The sign of life comes twice in the manager's patience, and only when this program is the watched one",
        arguments: [
            ("20000000", nil, Duration.seconds(10)), ("20000000", "7", .seconds(10)), ("20000000", "8", nil),
            ("0", nil, nil), ("-5", nil, nil), ("soon", nil, nil), (nil, nil, nil),
        ] as [(String?, String?, Duration?)]
    )
    func interval(patience: String?, watched: String?, expected: Duration?) throws {
        let variables = ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": patience, "WATCHDOG_PID": watched]
        let manager = try #require(ServiceManager(environment: { variables[$0] ?? nil }, processID: 7))
        #expect(manager.watchdogInterval == expected)
    }

    @Test(
        "The manager hears that the program is ready, lives and stops",
        arguments: ["@tintype-test-", "/tmp/tintype-test-"]
    )
    func messages(prefix: String) throws {
        let path = prefix + "\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let listener = try #require(DatagramListener(path))
        let manager = try #require(ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? path : nil }))
        #expect(manager.isReady("serving\non 8443"))
        #expect(listener.receive() == "READY=1\nSTATUS=serving on 8443\n")
        #expect(manager.isAlive())
        #expect(listener.receive() == "WATCHDOG=1\n")
        #expect(manager.isStopping())
        #expect(listener.receive() == "STOPPING=1\n")
    }

    @Test("A manager that is gone costs nothing")
    func gone() throws {
        let path = "/tmp/tintype-nobody-\(getpid())"
        let manager = try #require(ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? path : nil }))
        #expect(!manager.isReady("serving"))
        let long = "/" + String(repeating: "x", count: 300)
        let far = try #require(ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? long : nil }))
        #expect(!far.isAlive())
    }

    @Test("A program that is not well stays silent")
    func silence() async throws {
        let path = "@tintype-silence-\(getpid())"
        let listener = try #require(DatagramListener(path))
        let variables = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "2000"]
        let manager = try #require(ServiceManager(environment: { variables[$0] }))
        await withTaskGroup(of: Void.self) { group in
            let (asked, continuation) = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                let questions = Mutex(0)
                await manager.keepAlive {
                    let count = questions.withLock { count in
                        count += 1
                        return count
                    }
                    continuation.yield(count)
                    return count == 2
                }
            }
            for await count in asked where count == 4 { break }
            group.cancelAll()
        }
        #expect(listener.receive() == "WATCHDOG=1\n")
        #expect(listener.receive() == nil)
    }
}

/// A service manager's end of the socket.
private final class DatagramListener {
    private let descriptor: Int32
    private let path: String

    init?(_ path: String) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name: [UInt8] = path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        guard result == 0 else { return nil }
    }

    deinit {
        close(descriptor)
        if path.hasPrefix("/") { unsafe unlink(path) }
    }

    /// The next datagram that has arrived already; nil when there is none.
    func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
