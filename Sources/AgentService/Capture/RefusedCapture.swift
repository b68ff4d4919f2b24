package import AgentStore
package import PhotoModel

/// A capture that found no room in the queue: kept, so that `status` tells of it when its error has long gone by.
package struct RefusedCapture: Codable, Hashable, Sendable {
    private static let fact = "capture.refused"

    /// When, by the box's clock.
    package let time: WallTime
    /// The bytes that it would have taken.
    package let byteCount: Int64
    /// Why there was no room, and what to do.
    package let reason: String

    /// Describes a capture that was refused.
    ///
    /// - Parameters:
    ///   - time: when, by the box's clock.
    ///   - byteCount: the bytes that it would have taken.
    ///   - reason: why there was no room, and what to do.
    package init(time: WallTime, byteCount: Int64, reason: String) {
        self.time = time
        self.byteCount = byteCount
        self.reason = reason
    }

    /// Remembers it; a disk that has no room for that either is seen by its free bytes.
    package func remember(in store: AgentStore) { try? store.setFact(Self.fact, to: self) }

    /// Why a capture finds no room now.
    ///
    /// - Parameters:
    ///   - store: the queue.
    ///   - limits: how much room it may take.
    ///   - freeByteCount: what is free on its disk.
    /// - Returns: the reason and what to do; nil where there is room for what was refused last, or nothing was.
    /// - Throws: `storage`.
    package static func reason(in store: AgentStore, _ limits: SpaceLimits, freeByteCount: Int64) throws -> String? {
        guard freeByteCount > limits.reserveByteCount else {
            return "\(freeByteCount) bytes are free, \(limits.reserveByteCount) stay so (queue.reserveBytes): "
                + "free space"
        }
        guard let last: RefusedCapture = try store.fact(fact) else { return nil }
        let kept = try store.keptByteCount() + last.byteCount
        let isRoom =
            freeByteCount - last.byteCount >= limits.reserveByteCount
            && limits.maximumByteCount.map { kept <= $0 } ?? true
            && limits.maximumPercent.map { kept <= (kept - last.byteCount + freeByteCount) / 100 * Int64($0) } ?? true
        return isRoom ? nil : "the last one was refused at \(last.time): \(last.reason)"
    }
}
