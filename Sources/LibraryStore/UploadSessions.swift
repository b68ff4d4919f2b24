import LibraryAPI
import PhotoModel

/// The uploads that somebody writes to, or did lately: one reception each, one writer at a time.
///
/// A reception that is kept open keeps its running hash, so that an upload in many requests is hashed once. After a
/// restart, or when it was dropped here, the store hashes the upload again.
actor UploadSessions {
    /// Receptions that are kept open between requests.
    static let maximumIdleCount = 256

    private struct Entry {
        let session: UploadSession
        var userCount: Int
    }

    private var entries: [UploadID: Entry] = [:]
    /// Those that nobody uses, the longest unused first.
    private var idle: [UploadID] = []

    /// The single session of an upload; created if there is none.
    func borrow(_ id: UploadID) -> UploadSession {
        var entry = entries[id] ?? Entry(session: UploadSession(), userCount: 0)
        if entry.userCount == 0 { idle.removeAll { $0 == id } }
        entry.userCount += 1
        entries[id] = entry
        return entry.session
    }

    /// Has whoever writes to an upload under an earlier turn stop.
    func yield(_ id: UploadID, to turn: Int64) async { await entries[id]?.session.yield(to: turn) }

    /// Ends a use; of the sessions that nobody uses the newest are kept.
    func giveBack(_ id: UploadID) {
        guard var entry = entries[id] else { return }
        entry.userCount -= 1
        entries[id] = entry
        guard entry.userCount == 0 else { return }
        idle.append(id)
        while idle.count > Self.maximumIdleCount { entries[idle.removeFirst()] = nil }
    }

    /// Lets go of uploads that have ended: a file that is kept open takes its room on the disk even without a name.
    func forget(_ ended: [UploadID]) {
        let unused = Set(ended).intersection(idle)
        idle.removeAll { unused.contains($0) }
        for id in unused { entries[id] = nil }
    }
}

/// One upload's reception and the right to write to it, which a newer request takes from an older one.
actor UploadSession {
    /// The right to write; `superseded` finishes when it is wanted back.
    struct Turn: Sendable {
        let superseded: AsyncStream<Never>
    }

    private var reception: (any ContentReception)?
    private var newest = 0
    /// The turn under which `reception` was kept; see `UploadRecord.turn`.
    private var turn: Int64 = 0
    private var holder: AsyncStream<Never>.Continuation?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the right to write, after the one who has it was told to stop and did.
    func begin(about id: UploadID) async throws -> Turn {
        newest += 1
        let number = newest
        holder?.finish()
        while holder != nil {
            await withCheckedContinuation { waiting.append($0) }
        }
        guard number == newest else { throw StoreError.uploadSuperseded(id) }
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        holder = continuation
        return Turn(superseded: stream)
    }

    /// Has the holder stop if its turn is an earlier one.
    func yield(to turn: Int64) {
        if self.turn < turn { holder?.finish() }
    }

    /// Releases the permit.
    func end() {
        holder?.finish()
        holder = nil
        let all = waiting
        waiting = []
        for one in all { one.resume() }
    }

    /// The reception, as the holder of the right left it; nil if another server's turn came between.
    func current(in turn: Int64) -> (any ContentReception)? {
        if turn > self.turn + 1 { reception = nil }
        self.turn = turn
        return reception
    }

    /// Keeps the reception for the next request; nil drops it.
    func keep(_ reception: (any ContentReception)?) { self.reception = reception }
}
