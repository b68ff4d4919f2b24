public import FoundationEssentials
import LibraryAPI
import LibraryClient
import Synchronization

extension PhotoPicker {
    /// The bytes of an item, in memory (PhotosUI's `loadTransferable(type: Data.self)`); of a Live Photo the still's.
    ///
    /// - Parameters:
    ///   - item: an item that was chosen.
    ///   - session: its session.
    ///   - limit: the most bytes that are taken; larger items are for ``download(_:of:to:progress:)``.
    ///   - progress: told how many bytes are here, on the transport's thread.
    /// - Returns: the bytes.
    /// - Throws: `invalid` beyond the limit, `pickerEnded` for an item that is gone, `library`, `CancellationError`.
    public func data(
        of item: Item,
        of session: Session,
        limit: Int = 256 << 20,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> Data {
        try item.requireAvailable()
        // What is taken out makes it a little smaller, so the announced length alone refuses nothing.
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
