import Dispatch
import Glibc
import Persistence

/// The kernel's notifications about a folder (inotify(7)).
struct FolderEvents: Sendable {
    /// Names of files that were closed after writing or moved in; empty if anything else changed, or notifications were
    /// lost, so that the whole folder must be examined.
    typealias Changes = AsyncStream<Set<String>>

    private static let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    private static let beginning = UInt32(IN_CREATE)
    private static let completing = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)
    private static let bufferByteCount = 64 << 10

    /// Watches a folder from now on until the stream is dropped or the folder is gone; beginnings are the creation of
    /// files, which are still empty then.
    ///
    /// - Throws: `failed` if the kernel cannot watch it.
    static func changes(of folder: Path, includesBeginnings: Bool = false) throws -> Changes {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw failure(folder) }
        let wanted = includesBeginnings ? mask | beginning : mask
        guard unsafe inotify_add_watch(descriptor, folder.text, wanted) >= 0 else {
            let error = failure(folder)
            close(descriptor)
            throw error
        }
        let (stream, sink) = Changes.makeStream(bufferingPolicy: .bufferingNewest(4096))
        let queue = DispatchQueue(label: "tintype.folder")
        // Thread-safe by itself: a dispatch source may be cancelled from any thread.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        unsafe source.setEventHandler {
            let (names, isOver) = read(descriptor)
            // A stream that dropped elements reports that with an empty next element.
            if case .dropped = sink.yield(names) { sink.yield([]) }
            if isOver { sink.finish() }
        }
        unsafe source.setCancelHandler { close(descriptor) }
        sink.onTermination = { _ in unsafe source.cancel() }
        unsafe source.activate()
        return stream
    }

    private static func failure(_ folder: Path) -> AgentError {
        AgentError(.failed, "\(folder) cannot be watched: \(unsafe String(cString: strerror(errno)))")
    }

    /// Reads pending events: a 16-byte header and a zero-padded name each.
    private static func read(_ descriptor: Int32) -> (names: Set<String>, isOver: Bool) {
        var buffer = [UInt8](repeating: 0, count: bufferByteCount)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return ([], count == 0) }
        var names: Set<String> = []
        var isOver = false
        var offset = 0
        func number(at place: Int) -> UInt32 {
            unsafe buffer.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
        }
        while offset + 16 <= count {
            let mask = number(at: offset + 4)
            let length = Int(number(at: offset + 12))
            guard offset + 16 + length <= count else { break }
            let name = buffer[offset + 16..<offset + 16 + length].prefix { $0 != 0 }
            if mask & completing != 0 { names.insert(String(decoding: name, as: UTF8.self)) }
            if mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { isOver = true }
            offset += 16 + length
        }
        return (names, isOver)
    }
}
