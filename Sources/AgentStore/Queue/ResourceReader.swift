import Persistence
package import PhotoModel
import Synchronization

/// Reads part of a queued resource sequentially, so that the kernel reads ahead.
///
/// The file is open only from the first read to the last, so that many readers may be waiting.
package final class ResourceReader: Sendable {
    private let resource: AssetResource
    private let asset: AssetID
    private let store: AgentStore
    /// The part of the resource.
    package let range: Range<Int64>
    private let file = Mutex<(any OpenFile)?>(nil)
    private let failure = Mutex<AgentStoreError?>(nil)

    /// Why the disk could not read the bytes; nil if it could, or was not asked.
    package var damage: String? { failure.withLock { $0?.isDamage == true ? $0?.description : nil } }

    package init(_ resource: AssetResource, of asset: AssetID, _ range: Range<Int64>, in store: AgentStore) {
        self.resource = resource
        self.asset = asset
        self.range = range
        self.store = store
    }

    /// Reads bytes at an offset into the range, fewer than the count only at the end; blocks.
    ///
    /// - Throws: `storage`.
    package func read(at offset: Int64, count: Int) throws -> [UInt8] {
        let start = range.lowerBound + offset
        let wanted = Int(clamping: max(0, min(Int64(count), range.upperBound - start)))
        do {
            return try file.withLock { file throws(Persistence.PersistenceError) in
                let open: any OpenFile
                if let file {
                    open = file
                } else {
                    open = try store.open(resource, of: asset)
                    open.beginReading(range.upperBound - start, at: start)
                }
                let bytes = try open.read(wanted, at: start)
                file = start + Int64(bytes.count) < range.upperBound ? open : nil
                return bytes
            }
        } catch {
            let error = AgentStoreError(error, asset)
            failure.withLock { $0 = error }
            throw error
        }
    }
}
