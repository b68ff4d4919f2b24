import GRDB
import LibraryAPI
import Persistence
import PhotoModel

extension AgentStore {
    /// Bytes of originals that are kept here.
    package func keptByteCount() throws -> Int64 {
        try database.read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT coalesce(sum(byte_count), 0) FROM entries WHERE state <> 'freed'"
            ) ?? 0
        }
    }

    /// Sees to it that there is room for a capture; where the limits say so, by giving up the oldest originals that the
    /// library has acknowledged with every digest, and never others.
    ///
    /// - Parameters:
    ///   - draft: the capture.
    ///   - limits: how much room the queue may take.
    /// - Throws: `full` before anything of the capture is written, `storage`.
    func makeSpace(for draft: CaptureDraft, _ limits: SpaceLimits) throws {
        do {
            try checkSpace(for: draft, limits)
        } catch let error as AgentStoreError where error.code == .full && limits.dropsSaved {
            for entry in try saved() {
                try free(entry)
                if (try? checkSpace(for: draft, limits)) != nil { return }
            }
            throw error
        }
    }

    private func checkSpace(for draft: CaptureDraft, _ limits: SpaceLimits) throws {
        var wanted: Int64 = 0
        for resource in draft.resources {
            switch resource.content {
            case .bytes(let bytes): wanted += Int64(bytes.count)
            case .copy(let path), .move(let path): wanted += try fileSystem.status(path)?.byteCount ?? 0
            }
        }
        let free = try fileSystem.freeByteCount(root)
        guard free - wanted >= limits.reserveByteCount else {
            throw AgentStoreError(
                .full,
                draft.manifest.id,
                "\(free) bytes are free and \(limits.reserveByteCount) stay so: connect the box to its library, or free space"
            )
        }
        guard limits.maximumByteCount != nil || limits.maximumPercent != nil else { return }
        let kept = try keptByteCount()
        if let maximum = limits.maximumByteCount, kept + wanted > maximum {
            throw AgentStoreError(
                .full,
                draft.manifest.id,
                "the queue may take \(maximum) bytes (queue.maximumBytes): connect the box to its library, or raise it"
            )
        }
        if let percent = limits.maximumPercent, kept + wanted > (kept + free) / 100 * Int64(percent) {
            throw AgentStoreError(
                .full,
                draft.manifest.id,
                "the queue may take \(percent) % of the room (queue.maximumPercent): connect the box to its library, or raise it"
            )
        }
    }
}
