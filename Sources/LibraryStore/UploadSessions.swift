import LibraryAPI
import PhotoModel

/// The uploads being written, or written recently: one reception each, one writer at a time.
///
/// An open reception keeps its file and its running hash, so that an upload in many requests is hashed once. Once it was
/// dropped here, the store opens the upload again; after a restart, a folder hashes it again.
actor UploadSessions {
    /// The most idle receptions kept open between requests.
    static let maximumIdleCount = 256

    private struct Entry {
        let session: UploadSession
        var userCount: Int
    }

    private var entries: [UploadID: Entry] = [:]
    /// Idle ones, the longest idle first.
    private var idle: [UploadID] = []

    /// The single session of an upload; created if there is none.
    func borrow(_ id: UploadID) -> UploadSession {
        var entry = entries[id] ?? Entry(session: UploadSession(), userCount: 0)
        if entry.userCount == 0 { idle.removeAll { $0 == id } }
        entry.userCount += 1
        entries[id] = entry
        return entry.session
    }

    /// Stops the writer of an upload that has an earlier turn.
    func yield(_ id: UploadID, to turn: Int64) async { await entries[id]?.session.yield(to: turn) }

    /// Ends a use; the most recent idle sessions are kept.
    func giveBack(_ id: UploadID) {
        guard var entry = entries[id] else { return }
        entry.userCount -= 1
        entries[id] = entry
        guard entry.userCount == 0 else { return }
        idle.append(id)
        while idle.count > Self.maximumIdleCount { entries[idle.removeFirst()] = nil }
    }

    /// Drops ended uploads: an open file uses disk space even without a name.
    func forget(_ ended: [UploadID]) {
        let unused = Set(ended).intersection(idle)
        idle.removeAll { unused.contains($0) }
        for id in unused { entries[id] = nil }
    }
}

/// One upload's reception and the right to write to it, which a newer request takes over.
actor UploadSession {
    private var reception: (any ContentReception)?
    private var newest = 0
    /// The turn under which `reception` was kept; see `UploadRecord.turn`.
    private var turn: Int64 = 0
    private var holder: AsyncStream<Never>.Continuation?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Acquires the right to write, once its holder was told to stop and did; the stream finishes when another request
    /// wants it.
    func begin(about id: UploadID) async throws -> AsyncStream<Never> {
        newest += 1
        let number = newest
        holder?.finish()
        while holder != nil { await withCheckedContinuation { waiting.append($0) } }
        guard number == newest else { throw StoreError.uploadSuperseded(id) }
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        holder = continuation
        return stream
    }

    /// Stops the holder if its turn is an earlier one.
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

    /// The reception, as the last holder left it; nil if another server's turn came in between.
    func current(in turn: Int64) -> (any ContentReception)? {
        if turn > self.turn + 1 { reception = nil }
        self.turn = turn
        return reception
    }

    /// Keeps the reception for the next request; nil drops it.
    func keep(_ reception: (any ContentReception)?) { self.reception = reception }
}
