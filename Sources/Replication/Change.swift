/// One write: what a replica did to one field of one entity.
package struct Change: Hashable, Sendable {
    /// The written entity.
    package let entity: EntityID
    /// The written field.
    package let field: FieldID
    /// The write's identity.
    package let dot: Dot
    /// The counter of the same replica's previous write on this entity; 0 if this is the first.
    package let after: UInt64
    /// The timestamp, used only to break ties.
    package internal(set) var stamp: HybridTimestamp
    /// The new value or element; nil if the write only removes.
    package let value: FieldValue?
    /// The writes that this one had seen and overwrites.
    package let superseded: [Dot]

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
