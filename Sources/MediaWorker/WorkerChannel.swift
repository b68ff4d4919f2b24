import CMediaWorker
import Glibc

/// A file descriptor that is closed exactly once.
package struct OwnedDescriptor: ~Copyable {
    /// The descriptor number, valid as long as this value.
    package let number: Int32

    /// Takes ownership of a descriptor.
    package init(_ number: Int32) { self.number = number }

    deinit { _ = close(number) }

    /// Creates an empty in-memory file, closed on exec, with a name in the list of open files.
    package static func inMemory(_ name: String) throws(MediaWorkerError) -> OwnedDescriptor {
        let descriptor = unsafe tt_memory_file(name)
        guard descriptor >= 0 else {
            throw MediaWorkerError(.systemFailed, "no memory for an output file: error \(-descriptor)")
        }
        return OwnedDescriptor(descriptor)
    }

    /// Creates an in-memory file with content, positioned at its beginning, with a name in the list of open files.
    package static func inMemory(_ name: String, holding bytes: [UInt8]) throws(MediaWorkerError) -> OwnedDescriptor {
        let file = try inMemory(name)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                return unsafe pwrite(file.number, rest.baseAddress, rest.count, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw MediaWorkerError(.systemFailed, "no memory for a file: error \(errno)") }
            written += count
        }
        return file
    }
}

/// One end of the socket pair between the server and a worker.
struct WorkerChannel: ~Copyable {
    /// A received message.
    struct Message: ~Copyable {
        let bytes: [UInt8]
        let first: Int32?
        let second: Int32?

        deinit {
            if let first { _ = close(first) }
            if let second { _ = close(second) }
        }
    }

    private let socket: OwnedDescriptor

    init(_ socket: consuming OwnedDescriptor) { self.socket = socket }

    /// The descriptor, for starting a child.
    var number: Int32 { socket.number }

    /// Two connected ends.
    struct Pair: ~Copyable {
        let near: WorkerChannel
        let far: WorkerChannel

        init() throws(MediaWorkerError) {
            var sockets: [Int32] = [-1, -1]
            let status = unsafe tt_socket_pair(&sockets)
            guard status == 0 else { throw MediaWorkerError(.systemFailed, "no pair of sockets: error \(status)") }
            near = WorkerChannel(OwnedDescriptor(sockets[0]))
            far = WorkerChannel(OwnedDescriptor(sockets[1]))
        }
    }

    /// Sends one message without blocking, since the other end holds at most one.
    func send(_ bytes: [UInt8], _ descriptors: [Int32] = []) throws(MediaWorkerError) {
        let status = unsafe tt_send(socket.number, bytes, bytes.count, descriptors, descriptors.count)
        guard status == 0 else { throw MediaWorkerError(.died, "a message was not taken: error \(status)") }
    }

    /// Waits for one message with its descriptors, for ever without a timeout; nil at the end of the stream.
    ///
    /// - Throws: `timedOut`; `protocolBroken` for an overlong message; `died`.
    func receive(timeout: Duration?) throws(MediaWorkerError) -> Message? {
        if let timeout { try wait(timeout) }
        var bytes = [UInt8](repeating: 0, count: WorkerMessage.maximumByteCount)
        var descriptors: [Int32] = [-1, -1, -1, -1]
        var (count, descriptorCount) = (0, 0)
        let status = unsafe tt_receive(socket.number, &bytes, bytes.count, &count, &descriptors, &descriptorCount)
        switch status {
        case 0: break
        case EMSGSIZE: throw MediaWorkerError(.protocolBroken, "a message is longer than allowed")
        case ECONNRESET: return nil
        default: throw MediaWorkerError(.died, "no message came: error \(status)")
        }
        guard descriptorCount <= 2 else {
            for descriptor in descriptors.prefix(descriptorCount) { _ = close(descriptor) }
            throw MediaWorkerError(.protocolBroken, "a message brings \(descriptorCount) descriptors")
        }
        guard count > 0 else { return nil }
        return Message(
            bytes: Array(bytes.prefix(count)),
            first: descriptorCount > 0 ? descriptors[0] : nil,
            second: descriptorCount > 1 ? descriptors[1] : nil
        )
    }

    private func wait(_ timeout: Duration) throws(MediaWorkerError) {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: timeout)
        while true {
            let rest = max(.zero, clock.now.duration(to: end))
            var entry = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(clamping: Int64(rest / .milliseconds(1)) + 1)
            let ready = unsafe poll(&entry, 1, milliseconds)
            if ready > 0 { return }
            if ready == 0, rest == .zero { throw MediaWorkerError(.timedOut, "no answer came in \(timeout)") }
            if ready < 0, errno != EINTR { throw MediaWorkerError(.systemFailed, "poll: error \(errno)") }
        }
    }
}
