import LibraryAPI
package import LibraryStore
package import PhotoModel

extension MediaJobStore {
    /// Claims due jobs, whether or not somebody is waiting for them.
    package func claimJobs(limit: Int, lease: Duration) async throws -> [MediaJob] {
        try await claimJobs(limit: limit, lease: lease, onlyAwaited: false)
    }
}

extension ReadingStore {
    /// One of the first 500 albums; nil if it does not exist.
    package func album(_ id: AlbumID) async throws -> Album? {
        try await albums(in: .everything, limit: 500, cursor: nil).albums.map(\.album).first { $0.id == id }
    }
}
