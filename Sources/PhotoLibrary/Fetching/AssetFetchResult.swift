import AgentStore
public import PhotoModel

/// A list of assets as of the fetch (PhotoKit's `PHFetchResult`): it holds identifiers, and loads assets on demand.
///
/// The list does not change with the view; ``PhotoLibrary/changeDetails(for:)`` returns how it differs from now. It
/// takes 16 bytes per asset.
///
/// ```swift
/// let result = try await library.fetchResult(FetchOptions(filter: .kind(.favorites)))
/// print(result.count, try await result.object(at: 0)?.captureDate ?? "none")
/// for try await asset in result { print(asset.id) }
/// ```
public struct AssetFetchResult: Sendable {
    /// Assets read at once by an iteration.
    static let pageCount = 200

    let library: PhotoLibrary
    let query: AgentStore.ListQuery
    private let list: AgentStore.List

    init(_ library: PhotoLibrary, _ query: AgentStore.ListQuery, _ list: AgentStore.List) {
        self.library = library
        self.query = query
        self.list = list
    }

    /// The identifiers, in order.
    public var identifiers: [AssetID] { list.identifiers }
    /// The number of assets.
    public var count: Int { list.identifiers.count }
    /// Whether it has no assets.
    public var isEmpty: Bool { list.identifiers.isEmpty }
    /// The view's position at the fetch; ``PhotoLibrary/changes(since:)`` continues from it.
    public var token: ViewToken { ViewToken(sequence: list.sequence) }

    /// The index of an asset; nil if it is not in the list.
    public func index(of asset: AssetID) -> Int? { list.identifiers.firstIndex(of: asset) }

    /// The current state of one asset of the list.
    ///
    /// - Parameter index: 0 to `count - 1`.
    /// - Returns: the asset; nil if it has left the view since.
    /// - Throws: `invalid` beyond the list, `storage`.
    public func object(at index: Int) async throws -> Asset? {
        guard list.identifiers.indices.contains(index) else {
            throw PhotoLibraryError(.invalid, "the list has \(count) assets, none at \(index)")
        }
        return try await objects(at: index..<index + 1)[0]
    }

    /// Assets of the list, as they are now.
    ///
    /// - Parameter range: indexes in the list; a screen's worth.
    /// - Returns: one element per index; nil for assets that have left the view since.
    /// - Throws: `invalid` beyond the list, `storage`.
    public func objects(at range: Range<Int>) async throws -> [Asset?] {
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw PhotoLibraryError(.invalid, "the list has \(count) assets, not all of \(range)")
        }
        let page = Array(list.identifiers[range])
        let assets = try await library.local { try $0.assets(page) }
        return page.map { assets[$0] }
    }
}

extension AssetFetchResult: AsyncSequence {
    /// An asset as it is now.
    public typealias Element = Asset

    /// Reads the list page by page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let result: AssetFetchResult
        var next = 0
        var page: [Asset?] = []

        /// The next asset that is still in the view; nil at the list's end.
        ///
        /// - Throws: `storage`.
        public mutating func next() async throws -> Asset? {
            while true {
                if page.isEmpty {
                    let end = Swift.min(next + AssetFetchResult.pageCount, result.count)
                    guard next < end else { return nil }
                    page = try await result.objects(at: next..<end).reversed()
                    next = end
                }
                if let asset = page.removeLast() { return asset }
            }
        }
    }

    /// Begins at the first asset.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(result: self) }
}

extension PhotoLibrary {
    /// A list of assets of the view that loads them on demand (PhotoKit's `PHAsset.fetchAssets(with:)`).
    ///
    /// - Parameter options: which, in what order, how many.
    /// - Returns: the current list.
    /// - Throws: `storage`.
    public func fetchResult(_ options: FetchOptions = FetchOptions()) async throws -> AssetFetchResult {
        try await fetchResult(.options(options))
    }

    /// The assets of an album, in the album's own order (PhotoKit's `PHAsset.fetchAssets(in:options:)`).
    ///
    /// - Parameter album: an album of the view.
    /// - Returns: the current list.
    /// - Throws: `notFound`, `storage`.
    public func fetchResult(inAlbum album: AlbumID) async throws -> AssetFetchResult {
        try await fetchResult(.album(album))
    }

    private func fetchResult(_ query: AgentStore.ListQuery) async throws -> AssetFetchResult {
        AssetFetchResult(self, query, try await local { try $0.list(query) })
    }

    /// How a list differs from the current view (PhotoKit's `PHChange.changeDetails(for:)`); call it after each element
    /// of ``changes(since:)``.
    ///
    /// - Parameter result: the shown list.
    /// - Returns: the differences and the new list; nil if nothing in the list has changed.
    /// - Throws: `notFound` for a deleted album, `storage`.
    public func changeDetails(for result: AssetFetchResult) async throws -> FetchResultChangeDetails? {
        let sequence = result.token.sequence
        let query = result.query
        let (list, changes) = try await local { try $0.list(query, since: sequence) }
        let updated = changes.map { $0.assets.updated.union($0.assets.inserted) }
        let difference = IndexDifference(from: result.identifiers, to: list.identifiers, updated: updated ?? [])
        guard changes == nil || !difference.isEmpty else { return nil }
        return FetchResultChangeDetails(
            fetchResultBeforeChanges: result,
            fetchResultAfterChanges: AssetFetchResult(self, query, list),
            hasIncrementalChanges: changes != nil,
            difference: changes == nil ? IndexDifference() : difference
        )
    }
}
