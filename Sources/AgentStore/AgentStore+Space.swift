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
        do {
            try checkSpace(for: drafts, limits)
        } catch let error as AgentStoreError where error.code == .full && limits.dropsSaved && !isGuest {
            let saved = try saved()
            // Originals are not given up for nothing: all of them together have to make the room.
            guard try room(for: drafts, limits, afterFreeing: saved.reduce(0) { $0 + $1.byteCount }) >= 0 else {
                throw error
            }
            for entry in saved {
                try free(entry)
                if (try? checkSpace(for: drafts, limits)) != nil { return }
            }
            throw error
        }
    }

    /// Bytes that would be left below every limit; negative where a limit would be passed.
    private func room(for drafts: [CaptureDraft], _ limits: SpaceLimits, afterFreeing freed: Int64) throws -> Int64 {
        let wanted = try wantedByteCount(drafts)
        let free = try fileSystem.freeByteCount(root) + freed
        var room = free - wanted - limits.reserveByteCount
        guard limits.maximumByteCount != nil || limits.maximumPercent != nil else { return room }
        let kept = try keptByteCount() - freed
        if let maximum = limits.maximumByteCount { room = min(room, maximum - kept - wanted) }
        if let percent = limits.maximumPercent {
            room = min(room, (kept + free) / 100 * Int64(percent) - kept - wanted)
        }
        return room
    }

    private func wantedByteCount(_ drafts: [CaptureDraft]) throws -> Int64 {
        try drafts.flatMap(\.resources).reduce(0) { sum, resource in
            switch resource.content {
            case .bytes(let bytes): sum + Int64(bytes.count)
            case .copy(let path), .move(let path): sum + (try fileSystem.status(path)?.byteCount ?? 0)
            }
        }
    }

    private func checkSpace(for drafts: [CaptureDraft], _ limits: SpaceLimits) throws {
        let wanted = try wantedByteCount(drafts)
        let free = try fileSystem.freeByteCount(root)
        guard free - wanted >= limits.reserveByteCount else {
            throw AgentStoreError(
                .full,
                drafts.first?.manifest.id,
                "\(free) bytes are free and \(limits.reserveByteCount) stay so: connect the box to its library, or free space"
            )
        }
        guard limits.maximumByteCount != nil || limits.maximumPercent != nil else { return }
        let kept = try keptByteCount()
        if let maximum = limits.maximumByteCount, kept + wanted > maximum {
            throw AgentStoreError(
                .full,
                drafts.first?.manifest.id,
                "the queue may take \(maximum) bytes (queue.maximumBytes): connect the box to its library, or raise it"
            )
        }
        if let percent = limits.maximumPercent, kept + wanted > (kept + free) / 100 * Int64(percent) {
            throw AgentStoreError(
                .full,
                drafts.first?.manifest.id,
                "the queue may take \(percent) % of the room (queue.maximumPercent): connect the box to its library, or raise it"
            )
        }
    }
}
