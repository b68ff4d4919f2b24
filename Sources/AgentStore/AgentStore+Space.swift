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

    /// Sees to it that there is room for captures; where the limits say so, by giving up the oldest originals that the
    /// library has acknowledged with every digest, and never others.
    ///
    /// - Parameters:
    ///   - drafts: the captures.
    ///   - limits: how much room the queue may take.
    /// - Throws: `full` before anything of the captures is written, `storage`.
    func makeSpace(for drafts: [CaptureDraft], _ limits: SpaceLimits) throws {
        let wanted = try wantedByteCount(drafts)
        func check(afterFreeing freed: Int64 = 0) throws {
            try checkSpace(for: wanted, of: drafts.first?.manifest.id, limits, afterFreeing: freed)
        }
        do {
            try check()
        } catch let error as AgentStoreError where error.code == .full && limits.dropsSaved && !isGuest {
            let saved = try saved()
            // Originals are not given up for nothing: all of them together have to make the room.
            guard (try? check(afterFreeing: saved.reduce(0) { $0 + $1.byteCount })) != nil else { throw error }
            for entry in saved {
                try free(entry)
                if (try? check()) != nil { return }
            }
            throw error
        }
    }

    private func wantedByteCount(_ drafts: [CaptureDraft]) throws -> Int64 {
        try drafts.flatMap(\.resources).reduce(0) { sum, resource in
            switch resource.content {
            case .bytes(let bytes): sum + Int64(bytes.count)
            case .copy(let path), .move(let path): sum + (try fileSystem.status(path)?.byteCount ?? 0)
            }
        }
    }

    /// Whether so many bytes more go in, once others were freed.
    private func checkSpace(
        for wanted: Int64,
        of asset: AssetID?,
        _ limits: SpaceLimits,
        afterFreeing freed: Int64
    ) throws {
        let free = try fileSystem.freeByteCount(root) + freed
        guard free - wanted >= limits.reserveByteCount else {
            throw AgentStoreError(
                .full,
                asset,
                "\(free) bytes are free and \(limits.reserveByteCount) stay so: connect the box to its library, or free space"
            )
        }
        guard limits.maximumByteCount != nil || limits.maximumPercent != nil else { return }
        let kept = try keptByteCount() - freed
        if let maximum = limits.maximumByteCount, kept + wanted > maximum {
            throw AgentStoreError(
                .full,
                asset,
                "the queue may take \(maximum) bytes (queue.maximumBytes): connect the box to its library, or raise it"
            )
        }
        if let percent = limits.maximumPercent, kept + wanted > (kept + free) / 100 * Int64(percent) {
            throw AgentStoreError(
                .full,
                asset,
                "the queue may take \(percent) % of the room (queue.maximumPercent): connect the box to its library, or raise it"
            )
        }
    }
}
