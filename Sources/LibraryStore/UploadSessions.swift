import LibraryAPI
import Persistence
import PhotoModel

/// The uploads that somebody writes to, or did lately: one file each, one writer at a time.
///
/// A file that is kept open keeps its running hash, so that an upload in many requests is hashed once. After a restart,
/// or when it was dropped here, it is hashed again from its beginning.
actor UploadSessions {
    /// Files that are kept open between requests.
    static let maximumIdleCount = 256

    private var sessions: [UploadID: UploadSession] = [:]
    private var recency: [UploadID] = []

    /// The session of an upload; made when there is none.
    func session(_ id: UploadID) -> UploadSession {
        recency.removeAll { $0 == id }
        recency.append(id)
        if let session = sessions[id] { return session }
        let session = UploadSession()
        sessions[id] = session
        return session
    }

    /// Drops a session, after its upload ended or failed.
    func remove(_ id: UploadID) {
        sessions[id] = nil
        recency.removeAll { $0 == id }
    }

    /// Drops the files that were not used for longest.
    func trim() async {
        for id in recency.prefix(max(0, recency.count - Self.maximumIdleCount)) {
            guard let session = sessions[id], await session.isIdle else { continue }
            remove(id)
        }
    }
}

/// One upload's file and the right to write to it, which a newer request takes from an older one.
actor UploadSession {
    /// The right to write; it ends when `isSuperseded` finishes.
    struct Turn: Sendable {
        let number: Int
        let superseded: AsyncStream<Never>
    }

    private var file: StagingFile?
    private var newest = 0
    private var holder: AsyncStream<Never>.Continuation?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var isIdle: Bool { holder == nil && waiting.isEmpty }

    /// Takes the right to write, after the one who has it was told to stop and did.
    func begin(about id: UploadID) async throws -> Turn {
        newest += 1
        let number = newest
        holder?.finish()
        while holder != nil {
            await withCheckedContinuation { waiting.append($0) }
        }
        guard number == newest else { throw Self.superseded(id) }
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        holder = continuation
        return Turn(number: number, superseded: stream)
    }

    /// Gives the right back.
    func end(_ turn: Turn) {
        holder?.finish()
        holder = nil
        let all = waiting
        waiting = []
        for one in all { one.resume() }
    }

    /// The file, as the holder of the right left it.
    func currentFile() -> StagingFile? { file }

    /// Keeps the file for the next request; nil drops it.
    func keep(_ file: StagingFile?) { self.file = file }

    static func superseded(_ id: UploadID) -> StoreError {
        StoreError(
            .uploadSuperseded,
            "A newer request took this upload over: ask for its offset and go on from there.",
            about: id.description
        )
    }
}
