import Glibc

/// Reports the program's state to the service manager: sd_notify's protocol, a datagram of `KEY=value` lines to the
/// socket in `NOTIFY_SOCKET` (sd_notify(3)).
///
/// Implemented here because the protocol is this one datagram; libsystemd would be a dependency for it.
package struct ServiceManager: Sendable {
    private let socketPath: String
    /// The interval of keep-alive messages, half of the manager's timeout; nil if there is no watchdog.
    package let watchdogInterval: Duration?

    /// The manager that started this program; nil if none wants notifications.
    ///
    /// If `WATCHDOG_PID` is set, its watchdog is meant for that process only.
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

    /// Reports that the program is ready, with one line for people (`systemctl status`), and returns whether the
    /// manager was reached.
    @discardableResult
    package func isReady(_ status: String) -> Bool {
        send("READY=1\nSTATUS=\(status.split(separator: "\n").joined(separator: " "))\n")
    }

    /// Reports that the program is stopping, and returns whether the manager was reached.
    @discardableResult
    package func isStopping() -> Bool { send("STOPPING=1\n") }

    /// Sends a keep-alive, and returns whether the manager was reached.
    @discardableResult
    package func isAlive() -> Bool { send("WATCHDOG=1\n") }

    /// Sends keep-alives until the task is cancelled, each after a check; an unhealthy program stays silent, and is
    /// restarted.
    ///
    /// Returns at once if there is no watchdog.
    package func keepAlive(while isWell: @Sendable () async -> Bool) async {
        guard let watchdogInterval else { return }
        while !Task.isCancelled {
            if await isWell() { isAlive() }
            // Cancelled: the program is stopping.
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
