import CFileSystem
import Glibc
import Synchronization

/// Writes the whole pages of long chunks with direct I/O (`O_DIRECT`).
///
/// A library writes incoming bytes once and seldom reads them soon. Through the page cache they would be copied into
/// memory that the kernel must first find and clear, evict pages that others read, and be copied to the disk from
/// there: that took half of an upload's processor time.
final class DirectWriter: Sendable {
    /// The alignment of offset, length and memory: a page, so that no page is written both ways.
    ///
    /// No disk requires more. Most machines have pages of 4 KiB, a Raspberry Pi 5 has pages of 16 KiB.
    static let alignment = max(4096, Int(getpagesize()))
    /// Shorter chunks go through the cache: waiting for the disk would cost more than copying them.
    static let minimumByteCount = 256 << 10
    /// Bytes written per call.
    private static let blockByteCount = 1 << 20
    /// Blocks kept while nothing is written.
    private static let maximumIdleCount = 4

    private let idle = Mutex<[AlignedBlock]>([])

    /// Writes the leading whole pages of a chunk to a file that nobody else may use meanwhile, and returns how many
    /// bytes; the rest goes through the cache.
    ///
    /// It is 0 if the chunk is short or begins within a page, or the file system does not support it.
    func write(
        _ bytes: ArraySlice<UInt8>,
        at offset: Int64,
        to descriptor: Int32,
        of path: Path
    ) throws(PersistenceError) -> Int {
        let wanted = bytes.count & ~(Self.alignment - 1)
        guard wanted >= Self.minimumByteCount, offset & Int64(Self.alignment - 1) == 0 else { return 0 }
        let flags = fcntl(descriptor, F_GETFL)
        // The flag applies to the open file: it is set only during these writes, so that other writes may have any
        // length.
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
            // A nearly full disk accepts only a part; the rest would not begin on a page.
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

/// Page-aligned memory; it has one user at a time.
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
