#if canImport(Glibc)
import Glibc
#endif

/// Tells the service manager how the program stands: sd_notify's protocol, a datagram of `KEY=value` lines on the socket
/// that `NOTIFY_SOCKET` names (sd_notify(3)).
///
/// By hand because the protocol is this one datagram; libsystemd would be a dependency for it.
package struct ServiceManager: Sendable {
    private let socketPath: String
    /// How often a sign of life is wanted, half of the time after which the manager restarts the program; nil when it does
    /// not watch.
    package let watchdogInterval: Duration?

    /// The manager that started this program; nil when none asks to be told.
    ///
    /// - Parameters:
    ///   - environment: looks up a variable of the environment.
    ///   - processID: this program's id, to which `WATCHDOG_PID` has to be equal where it is set.
    package init?(
        environment: (String) -> String? = { unsafe getenv($0).map { unsafe String(cString: $0) } },
        processID: Int32 = getpid()
    ) {
        guard let path = environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        socketPath = path
        let isMeant = environment("WATCHDOG_PID").map { $0 == "\(processID)" } ?? true
        watchdogInterval =
            isMeant
            ? environment("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0) / 2 : nil } : nil
    }

    /// The program serves now.
    ///
    /// - Parameter status: one line for people (`systemctl status`).
    /// - Returns: whether the manager was reached.
    @discardableResult
    package func isReady(_ status: String) -> Bool {
        send("READY=1\nSTATUS=\(status.split(separator: "\n").joined(separator: " "))\n")
    }

    /// The program ends on purpose.
    ///
    /// - Returns: whether the manager was reached.
    @discardableResult
    package func isStopping() -> Bool { send("STOPPING=1\n") }

    /// The program is alive and well.
    ///
    /// - Returns: whether the manager was reached.
    @discardableResult
    package func isAlive() -> Bool { send("WATCHDOG=1\n") }

    /// Sends signs of life until the task is cancelled; a program that is not well stays silent, and is restarted.
    ///
    /// Returns at once where the manager does not watch.
    ///
    /// - Parameter isWell: asks the program's vital part; called once an interval.
    package func keepAlive(while isWell: @Sendable () async -> Bool) async {
        guard let watchdogInterval else { return }
        while !Task.isCancelled {
            if await isWell() { isAlive() }
            // Cancelled: the program ends.
            do { try await Task.sleep(for: watchdogInterval) } catch { return }
        }
    }

    private func send(_ message: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading "@" stands for the NUL of the abstract namespace (unix(7)).
        let name: [UInt8] = socketPath.hasPrefix("@") ? [0] + socketPath.utf8.dropFirst() : Array(socketPath.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < capacity else { return false }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in unsafe path.copyBytes(from: name) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, length)
            }
        }
        return sent == bytes.count
    }
}
