import AgentStore
import Authorization
import LibraryAPI
import LibraryClient
public import PhotoModel

extension PhotoLibrary {
    /// Assets of the view (PhotoKit's `PHAsset.fetchAssets`), from this box's replica: also without a network.
    ///
    /// - Parameter options: which, in what order, how many.
    /// - Returns: the assets as they are shown here, with what has not reached the library yet.
    /// - Throws: `storage`.
    public func fetchAssets(_ options: FetchOptions = FetchOptions()) async throws -> [Asset] {
        try await local { try $0.fetchAssets(options) }
    }

    /// One asset of the view; nil if it is not there.
    public func asset(_ id: AssetID) async throws -> Asset? {
        try await local { try $0.asset(id) }
    }

    /// The albums of the view, by title.
    public func fetchAlbums() async throws -> [Album] {
        try await local { try $0.fetchAlbums() }
    }

    /// Where the view stands now (PhotoKit's `currentChangeToken`); ``changes(since:)`` continues from it.
    public func currentChangeToken() async throws -> ViewToken {
        ViewToken(sequence: try await local { try $0.viewSequence() })
    }

    /// What happens to the view after a token, until the task is cancelled (PhotoKit's `fetchPersistentChanges(since:)`, and
    /// the change observer in one).
    ///
    /// - Parameter token: where to begin; it may be kept across restarts.
    /// - Returns: changes as they happen, several at once where they came together; `tokenExpired` is thrown where the token
    ///   is older than what is remembered: fetch everything again.
    public func changes(since token: ViewToken) -> PersistentChanges {
        PersistentChanges(library: self, token: token)
    }
}

/// A place in the history of this box's view; opaque, and good across restarts.
public struct ViewToken: Hashable, Sendable, Codable {
    /// The place in the box's log of what is shown.
    let sequence: Int64
}

/// What happened to a view, with the token behind it (PhotoKit's `PHPersistentChange`).
public struct PersistentChange: Hashable, Sendable {
    /// What happened to objects of one kind (PhotoKit's `PHObjectChangeDetails`).
    public struct Details<ID: Hashable & Sendable>: Hashable, Sendable {
        /// They are in the view now, and were not.
        public let inserted: Set<ID>
        /// They are other than they were.
        public let updated: Set<ID>
        /// They are not in the view any more.
        public let deleted: Set<ID>

        init(_ details: ReplicaDifference.Details<ID>) {
            inserted = details.inserted
            updated = details.updated
            deleted = details.deleted
        }
    }

    /// Where to continue.
    public let token: ViewToken
    /// Assets that came, changed or left.
    public let assets: Details<AssetID>
    /// Albums that came, changed or left.
    public let albums: Details<AlbumID>
}

/// Changes of a view as they happen; ends with the task that follows them.
public struct PersistentChanges: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = PersistentChange

    /// How often a program looks that does not hear the agent's own changes.
    private static let lookInterval = Duration.seconds(1)

    let library: PhotoLibrary
    let token: ViewToken

    /// Goes on from change to change.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let library: PhotoLibrary
        var sequence: Int64
        var news: AsyncStream<Void>.AsyncIterator

        /// The next change; nil once the task is cancelled.
        ///
        /// - Throws: `tokenExpired` where more has changed than is remembered, `storage`.
        public mutating func next() async throws -> PersistentChange? {
            while !Task.isCancelled {
                let start = sequence
                guard let change = try await library.local({ try $0.viewChanges(after: start) }) else {
                    throw PhotoLibraryError(
                        .tokenExpired,
                        "the view has changed too much since: fetch everything again"
                    )
                }
                sequence = change.sequence
                if !change.assets.isEmpty || !change.albums.isEmpty {
                    return PersistentChange(
                        token: ViewToken(sequence: sequence),
                        assets: .init(change.assets),
                        albums: .init(change.albums)
                    )
                }
                guard await wait() else { return nil }
            }
            return nil
        }

        /// Waits until there may be something new; false once the task is cancelled.
        private mutating func wait() async -> Bool {
            guard library.store.isGuest else { return await news.next(isolation: #isolation) != nil }
            return (try? await Task.sleep(for: PersistentChanges.lookInterval)) != nil
        }
    }

    /// Begins at the token; what happens from here on is not missed.
    public func makeAsyncIterator() -> AsyncIterator {
        let news = library.store.viewNews()
        return AsyncIterator(library: library, sequence: token.sequence, news: news.makeAsyncIterator())
    }
}
