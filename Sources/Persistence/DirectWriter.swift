import CFileSystem
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Writes the whole pages of long pieces past the page cache (`O_DIRECT`).
///
/// What a library takes in is written once and seldom read soon. Through the page cache its bytes are copied into memory
/// that the kernel has to find and clear first, push out what others read, and are copied to the disk from there: that
/// was half of the processor's time of an upload.
final class DirectWriter: Sendable {
    /// What offset, length and memory are multiples of; no disk asks for more, and no page is written both ways.
    static let alignment = 4096
    /// Shorter pieces go through the cache: a disk's answer costs more than copying them.
    static let minimumByteCount = 256 << 10
    /// Bytes that are written with one call.
    private static let blockByteCount = 1 << 20
    /// Blocks that are kept while nobody writes.
    private static let maximumIdleCount = 4

    private let idle = Mutex<[AlignedBlock]>([])

    /// Writes as many whole pages from the beginning of a piece as there are.
    ///
    /// - Parameters:
    ///   - bytes: the piece.
    ///   - offset: its place in the file.
    ///   - descriptor: the file, which nobody else uses meanwhile.
    ///   - path: its name, for errors.
    /// - Returns: the bytes that are written; 0 where the piece is short or begins within a page, and where the file system
    ///   knows no such writing. The rest goes through the cache.
    /// - Throws: what the file system says.
    func write(
        _ bytes: ArraySlice<UInt8>,
        at offset: Int64,
        to descriptor: Int32,
        of path: Path
    ) throws(PersistenceError) -> Int {
        let wanted = bytes.count & ~(Self.alignment - 1)
        guard wanted >= Self.minimumByteCount, offset & Int64(Self.alignment - 1) == 0 else { return 0 }
        let flags = fcntl(descriptor, F_GETFL)
        // The flag belongs to the open file: it is on during these writes only, so that others may be of any length.
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | Int32(tt_open_direct)) == 0 else { return 0 }
        defer { _ = fcntl(descriptor, F_SETFL, flags) }
        let block = try borrow(for: path)
        defer { giveBack(block) }
        var written = 0
        while written < wanted {
            let length = min(Self.blockByteCount, wanted - written)
            block.fill(from: bytes, at: written, count: length)
            let count = unsafe pwrite(descriptor, block.memory, length, off_t(offset) + off_t(written))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno != EINVAL { throw PersistenceError.systemCall(errno, "pwrite", path) }
            // A disk that is nearly full takes a part; what follows would not begin with a page.
            written += max(0, count)
            if count < length { break }
        }
        return written
    }

    private func borrow(for path: Path) throws(PersistenceError) -> AlignedBlock {
        if let block = idle.withLock({ $0.popLast() }) { return block }
        guard let block = AlignedBlock(byteCount: Self.blockByteCount, alignment: Self.alignment) else {
            throw PersistenceError.systemCall(ENOMEM, "posix_memalign", path)
        }
        return block
    }

    private func giveBack(_ block: AlignedBlock) {
        idle.withLock { idle in
            if idle.count < Self.maximumIdleCount { idle.append(block) }
        }
    }
}

/// Memory that begins at a page; it has one user at a time.
@safe private final class AlignedBlock: @unchecked Sendable {
    let memory: UnsafeMutableRawPointer

    init?(byteCount: Int, alignment: Int) {
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, alignment, byteCount) == 0, let memory = unsafe memory else { return nil }
        unsafe self.memory = memory
    }

    deinit {
        unsafe free(memory)
    }

    func fill(from bytes: ArraySlice<UInt8>, at start: Int, count: Int) {
        unsafe bytes.withUnsafeBytes { source in
            let part = unsafe UnsafeRawBufferPointer(rebasing: source[start..<start + count])
            unsafe UnsafeMutableRawBufferPointer(start: memory, count: count).copyMemory(from: part)
        }
    }
}
