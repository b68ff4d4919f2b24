package import AgentStore
package import PhotoModel

/// A capture that found no room in the queue: kept, so that `status` tells of it when its error has long gone by.
package struct RefusedCapture: Codable, Hashable, Sendable {
    private static let fact = "capture.refused"

    /// When, by the box's clock.
    package let time: WallTime
    /// The bytes that it would have taken.
    package let byteCount: Int64

    /// Describes a capture that was refused.
    ///
    /// - Parameters:
    ///   - time: when, by the box's clock.
    ///   - byteCount: the bytes that it would have taken.
    package init(time: WallTime, byteCount: Int64) {
        self.time = time
        self.byteCount = byteCount
    }

    /// Remembers it; a disk that has no room for that either is seen by its free bytes.
    package func remember(in store: AgentStore) { try? store.setFact(Self.fact, to: self) }

    /// Why a capture finds no room now.
    ///
    /// - Parameters:
    ///   - store: the queue.
    ///   - limits: how much room it may take.
    /// - Returns: the reason and what to do; nil where there is room for what was refused last, or nothing was.
    /// - Throws: `storage`.
    package static func reason(in store: AgentStore, _ limits: SpaceLimits) throws -> String? {
        let last: RefusedCapture? = try store.fact(fact)
        guard let shortage = try store.shortage(of: last?.byteCount ?? 1, limits) else { return nil }
        return last.map { "the last one was refused at \($0.time): \(shortage)" } ?? shortage
    }
}
