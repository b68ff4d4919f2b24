/// What this module accepts at most; everything beyond is refused with `.limitExceeded`.
package enum Limits {
    /// The largest counter of a replica; far from where arithmetic overflows.
    package static let counter: UInt64 = 1 << 56
    /// The longest encoded value in bytes, type byte included.
    package static let valueBytes = 1 << 20
    /// The most operations of one delta, and the most dots that they may supersede together; who has more sends several.
    package static let operations = 1 << 16
    /// The most bytes of one encoded delta.
    package static let deltaBytes = 16 << 20
    /// The most dots that one change may supersede: all live writes of an entity, so that none is left that no change
    /// could overwrite.
    package static let superseded = entityWrites
    /// The most live writes of one entity that changes of replicas may make.
    package static let entityWrites = 1 << 10
    /// The most runs in the causal context of one entity that changes of replicas may make.
    package static let entityRuns = 1 << 10
    /// The most bytes of one entity's values that changes of replicas may make.
    package static let entityValueBytes = 256 << 10
    /// The longest value that a delta may refer back to, in bytes: what a reference of two bytes can grow to.
    package static let rememberedValueBytes = 256
    /// How deep groups of values may be nested.
    package static let groupDepth = 4
    /// The longest position key in bytes.
    package static let positionBytes = 64
    /// How many superseded values a register lists.
    package static let supersededValues = 8
    /// How far a stamp may lie ahead of the server's clock, in milliseconds.
    package static let stampAheadMilliseconds: UInt64 = 120_000
    /// How long a replica may be silent before it is expired, in milliseconds: 180 days.
    package static let silenceMilliseconds: UInt64 = 180 * 86_400_000
}
