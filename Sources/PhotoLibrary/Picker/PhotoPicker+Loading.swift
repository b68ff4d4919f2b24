public import FoundationEssentials
import LibraryAPI
import LibraryClient
import Synchronization

extension PhotoPicker {
    /// The bytes of an item, in memory (PhotosUI's `loadTransferable(type: Data.self)`); for a Live Photo the still's.
    ///
    /// - Parameters:
    ///   - item: a chosen item.
    ///   - session: its session.
    ///   - limit: the maximum size in bytes; use ``download(_:of:to:progress:)`` for larger items.
    ///   - progress: receives the number of bytes, on the transport's thread.
    /// - Returns: the bytes.
    /// - Throws: `invalid` beyond the limit, `pickerEnded` for an item that is gone, `library`, `CancellationError`.
    public func data(
        of item: Item,
        of session: Session,
        limit: Int = 256 << 20,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> Data {
        try item.requireAvailable()
        // Stripping makes an item a little smaller, so the announced length alone is no reason to refuse.
        let taken = Mutex((bytes: Data(), isTooLong: false))
        do {
            _ = try await client.load(.pickedItem, [session.wire.id, item.id]) { piece in
                let count = try taken.withLock { taken in
                    taken.isTooLong = taken.bytes.count + piece.count > limit
                    guard !taken.isTooLong else { throw CancellationError() }
                    taken.bytes.append(contentsOf: piece)
                    return taken.bytes.count
                }
                progress?(LoadingProgress(completedBytes: Int64(count), totalBytes: nil))
            }
        } catch {
            if error.code == .transport(.cancelled) { throw CancellationError() }
            guard !taken.withLock(\.isTooLong) else {
                throw PhotoLibraryError(.invalid, "\(item.id) has more than \(limit) bytes: download it into a folder")
            }
            throw PhotoLibraryError(error)
        }
        return taken.withLock(\.bytes)
    }
}
