import AgentStore
import Authorization
import LibraryAPI
import LibraryClient
public import PhotoModel

extension PhotoLibrary {
    /// Assets of the view (PhotoKit's `PHAsset.fetchAssets`), from this box's replica: works without a network.
    ///
    /// - Parameter options: which, in what order, how many.
    /// - Returns: the assets as shown here, including changes that have not reached the library yet.
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

    /// The view's current position (PhotoKit's `currentChangeToken`); ``changes(since:)`` continues from it.
    public func currentChangeToken() async throws -> ViewToken {
        ViewToken(sequence: try await local { try $0.viewSequence() })
    }

    /// Changes of the view after a token, until the task is cancelled (PhotoKit's `fetchPersistentChanges(since:)` and
    /// the change observer in one).
    ///
    /// - Parameter token: where to begin; it may be kept across restarts.
    /// - Returns: changes as they happen, several at once if they arrive together; it throws `tokenExpired` if the
    ///   token is older than what is remembered: fetch everything again.
    public func changes(since token: ViewToken) -> PersistentChanges {
        PersistentChanges(library: self, token: token)
    }
}

/// A position in the history of this box's view; opaque, and valid across restarts.
public struct ViewToken: Hashable, Sendable, Codable {
    /// The position in the box's log of view changes.
    let sequence: Int64
}

/// A change of a view, with the token after it (PhotoKit's `PHPersistentChange`).
public struct PersistentChange: Hashable, Sendable {
    /// Changes of objects of one kind (PhotoKit's `PHObjectChangeDetails`).
    public struct Details<ID: Hashable & Sendable>: Hashable, Sendable {
        /// Objects new in the view.
        public let inserted: Set<ID>
        /// Objects that changed.
        public let updated: Set<ID>
        /// Objects no longer in the view.
        public let deleted: Set<ID>

        init(_ details: ReplicaDifference.Details<ID>) {
            inserted = details.inserted
            updated = details.updated
            deleted = details.deleted
        }
    }

    /// Where to continue.
    public let token: ViewToken
    /// Assets that were inserted, updated or removed.
    public let assets: Details<AssetID>
    /// Albums that were inserted, updated or removed.
    public let albums: Details<AlbumID>
}

/// Changes of a view as they happen; ends with the task that follows them.
public struct PersistentChanges: AsyncSequence, Sendable {
    /// One or several changes, with their token.
    public typealias Element = PersistentChange

    /// The polling interval of a program, which is not notified of the agent's changes.
    private static let lookInterval = Duration.seconds(1)

    let library: PhotoLibrary
    let token: ViewToken

    /// Iterates over changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let library: PhotoLibrary
        var sequence: Int64
        var news: AsyncStream<Void>.AsyncIterator

        /// The next change; nil once the task is cancelled.
        ///
        /// - Throws: `tokenExpired` if more has changed than is remembered, `storage`.
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

    /// Begins at the token; later changes are not missed.
    public func makeAsyncIterator() -> AsyncIterator {
        let news = library.store.viewNews()
        return AsyncIterator(library: library, sequence: token.sequence, news: news.makeAsyncIterator())
    }
}
