package import Persistence
import Synchronization
import TestSupport

/// A file system in memory that forgets what was not synchronised, and fails where it is told to.
///
/// It is stricter than most disks: data is durable only after `synchronize` on its file, a name only after
/// `synchronizeDirectory` on its directory. A power cut (`cutPower`) keeps what is durable, and of the rest whatever its
/// generator picks: some writes whole, one torn, some names and not others.
package final class SimulatedFileSystem: FileSystem {
    /// What a counted call does instead of its work.
    package enum Fault: Hashable, Sendable {
        /// It fails with this code and has done nothing.
        case failure(PersistenceError.Code)
        /// The power goes: this call and all later ones fail until `cutPower`.
        case powerCut
    }

    private struct State {
        var inodes: [Int: Inode] = [:]
        var directories: [Path: Directory] = [Path("/"): Directory(isDurable: true)]
        var locked: Set<Path> = []
        var lastInode = 0
        var calls = 0
        var fault: (call: Int, fault: Fault)?
        var isDead = false
        var free: Int64 = 1 << 40
        var generator: SeededGenerator
    }

    private struct Inode {
        var current: [UInt8] = []
        var durable: [UInt8] = []
        var isReadOnly = false
    }

    private struct Directory {
        var current: [String: Int] = [:]
        var durable: [String: Int] = [:]
        var children: Set<String> = []
        var durableChildren: Set<String> = []
        var isDurable = false
    }

    private let state: Mutex<State>

    /// An empty file system.
    ///
    /// - Parameter seed: decides what a power cut keeps.
    package init(seed: UInt64) {
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// How many calls that can fail there were.
    package var calls: Int { state.withLock(\.calls) }

    /// Makes one future call fail; counted from now on, the next one is 1.
    package func inject(_ fault: Fault, atCall number: Int) {
        state.withLock { $0.fault = ($0.calls + number, fault) }
    }

    /// Takes back a fault that has not happened.
    package func clearFault() { state.withLock { $0.fault = nil } }

    /// Bytes that can still be written.
    package func setFree(_ byteCount: Int64) { state.withLock { $0.free = byteCount } }

    /// The power goes and comes back: open files are dead, locks are gone, and of what was not durable some is lost.
    package func cutPower() {
        state.withLock { state in
            for (id, inode) in state.inodes {
                let kept = Self.survivor(of: inode, &state.generator)
                state.inodes[id]?.current = kept
                state.inodes[id]?.durable = kept
            }
            for (path, directory) in state.directories.sorted(by: { $0.key < $1.key }) {
                var directory = directory
                for name in Set(directory.current.keys).union(directory.durable.keys).sorted()
                where directory.current[name] != directory.durable[name] && state.generator.oneIn(2) {
                    directory.durable[name] = directory.current[name]
                }
                for child in directory.children.symmetricDifference(directory.durableChildren).sorted()
                where state.generator.oneIn(2) {
                    directory.durableChildren.formSymmetricDifference([child])
                }
                directory.current = directory.durable
                directory.children = directory.durableChildren
                state.directories[path] = directory
            }
            Self.dropOrphans(&state)
            state.locked = []
            state.fault = nil
            state.isDead = false
        }
    }

    /// The process ends and another begins: what was written stays, locks are gone.
    package func restartProcess() {
        state.withLock { state in
            state.locked = []
            state.fault = nil
            state.isDead = false
        }
    }

    /// Changes bytes behind everybody's back, as a bad disk does.
    package func damage(_ path: Path, _ change: (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard let id = state.directories[path.parent]?.current[path.name], var inode = state.inodes[id] else {
                return
            }
            change(&inode.current)
            inode.durable = inode.current
            state.inodes[id] = inode
        }
    }

    private static func survivor(of inode: Inode, _ generator: inout SeededGenerator) -> [UInt8] {
        guard inode.current != inode.durable else { return inode.durable }
        switch generator.below(3) {
        case 0: return inode.durable
        case 1: return inode.current
        default:
            // The length grew before the bytes came: zeros in their place, as journals of metadata allow.
            let written = inode.durable.count + generator.below(max(inode.current.count - inode.durable.count, 0) + 1)
            let zeros = [UInt8](repeating: 0, count: max(inode.current.count - written, 0))
            return Array(inode.current.prefix(written)) + zeros
        }
    }

    private static func dropOrphans(_ state: inout State) {
        for path in state.directories.keys.sorted() where path != Path("/") {
            let isHeld = state.directories[path.parent]?.children.contains(path.name) ?? false
            if !isHeld { state.directories[path] = nil }
        }
    }

    // MARK: FileSystem

    /// Counts a call, and lets it fail when its turn has come.
    private func perform<Value>(
        _ operation: String,
        _ path: Path,
        _ body: (inout State) throws(PersistenceError) -> Value
    ) throws(PersistenceError) -> Value {
        try state.withLock { state throws(PersistenceError) in
            guard !state.isDead else { throw PersistenceError(.inputOutput, operation, path.text, "the power is off") }
            state.calls += 1
            if let fault = state.fault, fault.call == state.calls {
                state.fault = nil
                switch fault.fault {
                case .failure(let code): throw PersistenceError(code, operation, path.text, "injected")
                case .powerCut:
                    state.isDead = true
                    throw PersistenceError(.inputOutput, operation, path.text, "the power went")
                }
            }
            return try body(&state)
        }
    }

    package func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
        let id = try perform("open", path) { state throws(PersistenceError) in
            guard state.directories[path.parent] != nil else { throw Self.missing("open", path) }
            if let id = state.directories[path.parent]?.current[path.name] {
                if mode == .create { throw PersistenceError(.exists, "open", path.text, "it already exists") }
                if mode == .update, state.inodes[id]?.isReadOnly == true {
                    throw PersistenceError(.notPermitted, "open", path.text, "it is read-only")
                }
                return id
            }
            guard mode != .read else { throw Self.missing("open", path) }
            state.lastInode += 1
            state.inodes[state.lastInode] = Inode()
            state.directories[path.parent]?.current[path.name] = state.lastInode
            return state.lastInode
        }
        return File(id: id, path: path, fileSystem: self)
    }

    package func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        try perform("rename", destination) { state throws(PersistenceError) in
            guard let id = state.directories[source.parent]?.current[source.name],
                state.directories[destination.parent] != nil
            else { throw Self.missing("rename", source) }
            state.directories[source.parent]?.current[source.name] = nil
            state.directories[destination.parent]?.current[destination.name] = id
        }
    }

    package func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        try perform("link", destination) { state throws(PersistenceError) in
            guard let id = state.directories[source.parent]?.current[source.name],
                state.directories[destination.parent] != nil
            else { throw Self.missing("link", source) }
            guard state.directories[destination.parent]?.current[destination.name] == nil else {
                throw PersistenceError(.exists, "link", destination.text, "it already exists")
            }
            state.directories[destination.parent]?.current[destination.name] = id
        }
    }

    package func unlink(_ path: Path) throws(PersistenceError) {
        try perform("unlink", path) { state throws(PersistenceError) in
            guard state.directories[path.parent]?.current.removeValue(forKey: path.name) != nil else {
                throw Self.missing("unlink", path)
            }
        }
    }

    package func touch(_ path: Path) throws(PersistenceError) {
        guard try status(path) != nil else { throw Self.missing("utimensat", path) }
    }

    package func createDirectory(_ path: Path) throws(PersistenceError) {
        try perform("mkdir", path) { state throws(PersistenceError) in
            guard state.directories[path.parent] != nil else { throw Self.missing("mkdir", path) }
            guard state.directories[path] == nil else {
                throw PersistenceError(.exists, "mkdir", path.text, "it already exists")
            }
            state.directories[path] = Directory()
            state.directories[path.parent]?.children.insert(path.name)
        }
    }

    package func removeDirectory(_ path: Path) throws(PersistenceError) {
        try perform("rmdir", path) { state throws(PersistenceError) in
            guard let directory = state.directories[path] else { throw Self.missing("rmdir", path) }
            guard directory.current.isEmpty, directory.children.isEmpty else {
                throw PersistenceError(.exists, "rmdir", path.text, "it is not empty")
            }
            state.directories[path] = nil
            state.directories[path.parent]?.children.remove(path.name)
        }
    }

    package func synchronizeDirectory(_ path: Path) throws(PersistenceError) {
        try perform("fsync", path) { state throws(PersistenceError) in
            guard var directory = state.directories[path] else { throw Self.missing("fsync", path) }
            directory.durable = directory.current
            directory.durableChildren = directory.children
            state.directories[path] = directory
        }
    }

    package func synchronizeAll(_ path: Path) throws(PersistenceError) {
        try perform("syncfs", path) { state throws(PersistenceError) in
            for (id, inode) in state.inodes { state.inodes[id]?.durable = inode.current }
            for (path, directory) in state.directories {
                state.directories[path]?.durable = directory.current
                state.directories[path]?.durableChildren = directory.children
            }
        }
    }

    package func list(_ path: Path) throws(PersistenceError) -> [String] {
        try perform("readdir", path) { state throws(PersistenceError) in
            guard let directory = state.directories[path] else { throw Self.missing("readdir", path) }
            return (Array(directory.current.keys) + Array(directory.children)).sorted()
        }
    }

    package func status(_ path: Path) throws(PersistenceError) -> FileStatus? {
        try perform("lstat", path) { state throws(PersistenceError) in
            if state.directories[path] != nil { return FileStatus(isDirectory: true, byteCount: 0, isReadOnly: false) }
            guard let id = state.directories[path.parent]?.current[path.name], let inode = state.inodes[id] else {
                return nil
            }
            return FileStatus(isDirectory: false, byteCount: Int64(inode.current.count), isReadOnly: inode.isReadOnly)
        }
    }

    package func makeReadOnly(_ path: Path) throws(PersistenceError) {
        try perform("chmod", path) { state throws(PersistenceError) in
            guard let id = state.directories[path.parent]?.current[path.name] else {
                throw Self.missing("chmod", path)
            }
            state.inodes[id]?.isReadOnly = true
        }
    }

    /// Permissions are not simulated.
    package func makePrivate(_ path: Path) throws(PersistenceError) {
        try perform("chmod", path) { _ throws(PersistenceError) in }
    }

    package func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64 {
        try perform("statvfs", path) { state throws(PersistenceError) in state.free }
    }

    package func lock(_ path: Path) throws(PersistenceError) -> any FileLock {
        try perform("flock", path) { state throws(PersistenceError) in
            guard state.locked.insert(path).inserted else {
                throw PersistenceError(.locked, "flock", path.text, "another process has it")
            }
        }
        return Lock(path: path, fileSystem: self)
    }

    package func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock { try lock(path) }

    private static func missing(_ operation: String, _ path: Path) -> PersistenceError {
        PersistenceError(.notFound, operation, path.text, "it does not exist")
    }

    private final class Lock: FileLock {
        let path: Path
        let fileSystem: SimulatedFileSystem

        init(path: Path, fileSystem: SimulatedFileSystem) {
            self.path = path
            self.fileSystem = fileSystem
        }

        func release() {
            _ = fileSystem.state.withLock { $0.locked.remove(path) }
        }
    }

    private final class File: OpenFile {
        let id: Int
        let path: Path
        let fileSystem: SimulatedFileSystem

        init(id: Int, path: Path, fileSystem: SimulatedFileSystem) {
            self.id = id
            self.path = path
            self.fileSystem = fileSystem
        }

        private func perform<Value>(
            _ operation: String,
            _ body: (inout Inode) throws(PersistenceError) -> Value
        ) throws(PersistenceError) -> Value {
            try fileSystem.perform(operation, path) { state throws(PersistenceError) in
                guard var inode = state.inodes[id] else { throw SimulatedFileSystem.missing(operation, path) }
                let value = try body(&inode)
                state.inodes[id] = inode
                return value
            }
        }

        func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) {
            try perform("pwrite") { inode throws(PersistenceError) in
                let start = Int(offset)
                if inode.current.count < start {
                    inode.current += [UInt8](repeating: 0, count: start - inode.current.count)
                }
                let end = min(start + bytes.count, inode.current.count)
                inode.current.replaceSubrange(start..<end, with: bytes)
            }
        }

        func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
            try perform("pread") { inode throws(PersistenceError) in
                Array(inode.current.dropFirst(Int(offset)).prefix(count))
            }
        }

        func synchronize() throws(PersistenceError) {
            try perform("fdatasync") { inode throws(PersistenceError) in inode.durable = inode.current }
        }

        func truncate(to byteCount: Int64) throws(PersistenceError) {
            try perform("ftruncate") { inode throws(PersistenceError) in
                let zeros = [UInt8](repeating: 0, count: max(Int(byteCount) - inode.current.count, 0))
                inode.current = inode.current.prefix(Int(byteCount)) + zeros
            }
        }

        func byteCount() throws(PersistenceError) -> Int64 {
            try perform("fstat") { inode throws(PersistenceError) in Int64(inode.current.count) }
        }

        func close() throws(PersistenceError) {
            try perform("close") { _ throws(PersistenceError) in }
        }
    }
}
