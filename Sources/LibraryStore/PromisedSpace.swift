import LibraryAPI
import Persistence
import Synchronization

/// The disk space that requests in progress may still use, so that the reserve stays free however many there are.
///
/// What is free is judged and promised in one step, a round of ``GroupCommitter``: requests that arrive meanwhile share
/// the next look at the disk. Requests at other servers of the library are not counted: a library on several servers
/// keeps originals in a bucket.
final class PromisedSpace: Sendable {
    /// What a request needs space for.
    struct Need: Sendable {
        /// The most bytes that it adds.
        let byteCount: Int64
        /// Whether an open upload's row promises them already.
        let isInRows: Bool

        /// Bytes that no row promises.
        static func new(_ byteCount: Int64) -> Need { Need(byteCount: byteCount, isInRows: false) }

        /// The missing bytes of an open upload.
        static func rest(of upload: UploadRecord) -> Need {
            Need(byteCount: max(0, upload.byteCount - upload.durableByteCount), isInRows: true)
        }
    }

    /// What requests may use.
    struct Room: Sendable {
        /// Free bytes above the reserve; negative if the reserve is in use.
        let byteCount: Int64
        /// Of these, the bytes promised by the rows of open uploads.
        let uploadByteCount: Int64
    }

    /// One request's promise, which ends with its last reference.
    final class Promise: Sendable {
        private let ledger: Ledger
        private let isInRows: Bool
        private let rest: Mutex<Int64>

        fileprivate init(_ need: Need, in ledger: Ledger) {
            self.ledger = ledger
            isInRows = need.isInRows
            rest = Mutex(need.byteCount)
            ledger.add(need)
        }

        deinit { end() }

        /// Counts bytes that are on the disk now.
        func use(_ byteCount: Int) { take { min($0, Int64(byteCount)) } }

        /// Ends it, once the request has stored all its bytes, or their row is there.
        func end() { take { $0 } }

        private func take(_ part: (Int64) -> Int64) {
            let taken = rest.withLock { rest in
                let taken = part(rest)
                rest -= taken
                return taken
            }
            ledger.add(Need(byteCount: -taken, isInRows: isInRows))
        }
    }

    /// The sums of what is promised.
    fileprivate struct Sums: Sendable {
        var new: Int64 = 0
        var uploads: Int64 = 0

        mutating func add(_ need: Need) {
            if need.isInRows { uploads += need.byteCount } else { new += need.byteCount }
        }

        /// Whether something more fits beside what is promised.
        func hasRoom(for need: Need, in room: Room) -> Bool {
            let others = new + (need.isInRows ? uploads : room.uploadByteCount)
            return room.byteCount - others >= need.byteCount
        }
    }

    fileprivate final class Ledger: Sendable {
        private let sums = Mutex(Sums())

        var current: Sums { sums.withLock(\.self) }

        func add(_ need: Need) { sums.withLock { $0.add(need) } }
    }

    private let ledger: Ledger
    private let rounds: GroupCommitter<Need, Promise>

    /// Creates a ledger of a disk.
    ///
    /// - Parameter look: reads the room, nil if it is unlimited; it is told whether the rows' part is wanted.
    init(look: @escaping @Sendable (_ countsUploads: Bool) async throws -> Room?) {
        let ledger = Ledger()
        self.ledger = ledger
        rounds = GroupCommitter(maximumWeight: .max) { needs in try await PromisedSpace.judge(needs, ledger, look) }
    }

    /// Bytes promised to requests, beyond what rows promise.
    var byteCount: Int64 { ledger.current.new }

    /// Promises space.
    ///
    /// - Parameter need: what for.
    /// - Returns: the promise.
    /// - Throws: `storageFull` if it would use the reserve; what `look` throws.
    func promise(_ need: Need) async throws -> Promise { try await rounds.commit(need) }

    private static func judge(
        _ needs: [Need],
        _ ledger: Ledger,
        _ look: @escaping @Sendable (Bool) async throws -> Room?
    ) async throws -> [Result<Promise, any Error>] {
        // Read first: what ends meanwhile is on the disk or in the rows by then, and is rather counted twice than not.
        var sums = ledger.current
        let countsUploads = !needs.allSatisfy(\.isInRows)
        // A request that was cancelled looks for the others too.
        guard let room = try await Task(operation: { try await look(countsUploads) }).value else {
            return needs.map { _ in .success(Promise(.new(0), in: ledger)) }
        }
        return needs.map { need in
            guard sums.hasRoom(for: need, in: room) else { return .failure(StoreError.reserveReached) }
            sums.add(need)
            return .success(Promise(need, in: ledger))
        }
    }
}

extension StoreError {
    /// Only the reserve is left.
    fileprivate static var reserveReached: StoreError {
        StoreError(.storageFull, "The server has only reserved space left: keep the capture and try later.")
    }
}
