package import AgentStore
package import PhotoModel

/// A capture that found no room in the queue, remembered so that `status` shows it long after its error is gone.
package struct RefusedCapture: Codable, Hashable, Sendable {
    private static let fact = Fact<RefusedCapture>("capture.refused")

    /// The time, by the box's clock.
    package let time: WallTime
    /// Its size in bytes.
    package let byteCount: Int64

    /// Remembers it; a disk too full even for that shows in its free space.
    package func remember(in store: AgentStore) { try? store.setFact(Self.fact, to: self) }

    /// Why there is currently no room for captures, and what to do; nil if there is room for the last refused capture,
    /// or there was none.
    ///
    /// - Throws: `storage`.
    package static func reason(in store: AgentStore, _ limits: SpaceLimits) throws -> String? {
        let last = try store.fact(fact)
        guard let shortage = try store.shortage(of: last?.byteCount ?? 1, limits) else { return nil }
        return last.map { "the last one was refused at \($0.time): \(shortage)" } ?? shortage
    }
}
