import Foundation
import Synchronization

/// Stands between a client and a server's socket, and cuts the connection at one `COMMIT`.
final class CommitCutter: Sendable {
    /// Whether the server still gets the `COMMIT`.
    enum Cut { case beforeForwarding, afterForwarding }

    private struct State {
        var armed: Cut?
        var staysAway = false
        var cutCount = 0
        var isStopped = false
    }

    /// The folder of its socket.
    let folder: String
    private let serverFolder: String
    private let listener: Int32
    private let state = Mutex(State())
    private static let socketName = "/.s.PGSQL.5432"

    /// Listens in a folder of its own.
    init(to serverFolder: String) throws {
        self.serverFolder = serverFolder
        folder = "/tmp/tintype-cutter-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = try unsafe Self.socket(folder, bind)
        guard listen(listener, 16) == 0 else { throw POSIXError(.EIO) }
        Thread.detachNewThread { [self] in accepting() }
    }

    /// Cuts the next `COMMIT`.
    func arm(_ cut: Cut, staysAway: Bool) {
        state.withLock { ($0.armed, $0.staysAway) = (cut, staysAway) }
    }

    /// How many commits were cut.
    var cutCount: Int { state.withLock { $0.cutCount } }

    /// Takes no more connections.
    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func accepting() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            let isAway = state.withLock { $0.isStopped || ($0.staysAway && $0.cutCount > 0) }
            guard !isAway, let server = unsafe try? Self.socket(serverFolder, connect) else {
                close(client)
                continue
            }
            let pair = Mutex(2)
            let closing: @Sendable () -> Void = {
                for descriptor in [client, server] { shutdown(descriptor, Int32(SHUT_RDWR)) }
                // Closed by whichever direction ends last, so that no number is closed twice.
                if pair.withLock({
                    $0 -= 1; return $0
                }) == 0 {
                    for descriptor in [client, server] { close(descriptor) }
                }
            }
            let isCut = Mutex(false)
            Thread.detachNewThread { [self] in
                forward(client, server) { bytes in
                    guard let cut = takeCut(bytes) else { return true }
                    isCut.withLock { $0 = true }
                    return cut == .afterForwarding
                }
                closing()
            }
            Thread.detachNewThread { [self] in
                // What follows the cut is the server's answer to it: it goes nowhere, and ends the connection.
                forward(server, client) { _ in !isCut.withLock { $0 } }
                closing()
            }
        }
    }

    private func takeCut(_ bytes: ArraySlice<UInt8>) -> Cut? {
        guard String(decoding: bytes, as: UTF8.self).contains("COMMIT\0") else { return nil }
        return state.withLock { state in
            guard let cut = state.armed else { return nil }
            state.armed = nil
            state.cutCount += 1
            return cut
        }
    }

    /// Passes on what `lets` lets, until one side ends or it lets something not.
    private func forward(_ from: Int32, _ to: Int32, _ lets: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(from, &buffer, buffer.count)
            guard count > 0, lets(buffer[..<count]) else { return }
            guard unsafe send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
        }
    }

    private static func socket(
        _ folder: String,
        _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            unsafe path.copyBytes(from: Array((folder + socketName).utf8))
        }
        let status = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, status == 0 else { throw POSIXError(.EIO) }
        return descriptor
    }
}
