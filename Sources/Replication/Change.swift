/// One write: what a replica did to one field of one entity.
package struct Change: Hashable, Sendable {
    /// What was written.
    package let entity: EntityID
    /// Which field.
    package let field: FieldID
    /// The write's name.
    package let dot: Dot
    /// The counter of the same replica's write on this entity before it; 0 when it is the first.
    package let after: UInt64
    /// When, as far as ties are concerned.
    package let stamp: HybridTimestamp
    /// The new value or element; nil when the write only removes.
    package let value: FieldValue?
    /// The writes that this one had seen and overwrites.
    package let superseded: [Dot]

    /// Describes a write.
    ///
    /// - Parameters:
    ///   - entity: what is written.
    ///   - field: which field of it.
    ///   - dot: the write's name.
    ///   - after: the counter of the same replica's write on this entity before it, or 0.
    ///   - stamp: when.
    ///   - value: the value or element, or nil to remove only.
    ///   - superseded: the writes it overwrites.
    package init(
        entity: EntityID,
        field: FieldID,
        dot: Dot,
        after: UInt64,
        stamp: HybridTimestamp,
        value: FieldValue?,
        superseded: [Dot]
    ) {
        self.entity = entity
        self.field = field
        self.dot = dot
        self.after = after
        self.stamp = stamp
        self.value = value
        self.superseded = superseded
    }
}
