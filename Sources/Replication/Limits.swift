/// The limits of this module; anything beyond is refused with `.limitExceeded`.
package enum Limits {
    /// The largest counter of a replica; far below arithmetic overflow.
    package static let counter: UInt64 = 1 << 56
    /// The longest encoded value in bytes, type byte included.
    package static let valueBytes = 1 << 20
    /// The most operations of one delta, and the most dots they may supersede together; larger batches are split.
    package static let operations = 1 << 16
    /// The most bytes of one encoded delta.
    package static let deltaBytes = 16 << 20
    /// The most dots one change may supersede: all live writes of an entity, so that no entity becomes impossible to
    /// overwrite.
    package static let superseded = registerWrites + elementWrites + lastingWrites
    /// The most live writes of one entity's registers that replicas' changes may create; few stay of each register.
    package static let registerWrites = 448
    /// The most elements and presences of one entity that replicas' changes may create.
    package static let elementWrites = 512
    /// The most live writes that replicas' changes may create in one entity's fields that no edit overwrites.
    package static let lastingWrites = 64
    /// The most gaps in one entity's causal context that replicas' changes may create.
    package static let entityGaps = 1 << 10
    /// The most bytes of one entity's registers that replicas' changes may create.
    package static let registerValueBytes = 256 << 10
    /// The most bytes of one entity's elements that replicas' changes may create.
    package static let elementValueBytes = 128 << 10
    /// The most bytes that replicas' changes may create in one entity's fields that no edit overwrites.
    package static let lastingValueBytes = 64 << 10
    /// The longest value that a delta may refer back to, in bytes: what a two-byte reference can expand to.
    package static let rememberedValueBytes = 256
    /// How deep value groups may be nested.
    package static let groupDepth = 4
    /// The longest position key in bytes.
    package static let positionBytes = 64
    /// How many superseded values a register lists.
    package static let supersededValues = 8
    /// How far a stamp may lie ahead of the server's clock, in milliseconds.
    package static let stampAheadMilliseconds: UInt64 = 120_000
}
