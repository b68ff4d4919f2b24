/// Identifies a field of an entity kind by number; numbers are never reused.
package struct FieldID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number on the wire.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Orders by the number.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The purge, in every kind: versions that do not know the kind obey it too.
    package static let purge = Self(rawValue: 0)
}

/// How a field merges; a field never changes its rule.
package enum MergeRule: Hashable, Sendable {
    /// A register: the greater (stamp, replica) is current, concurrent losers are listed.
    case latest
    /// A set (observed-remove, add wins): an add beats a concurrent remove.
    case addWinsSet
    /// A map keyed by the identifier at the start of each value; entries are never changed or removed.
    case growOnlyMap
    /// Whether the entity exists: an add beats a concurrent removal.
    case presence
    /// A remembered deletion that yields to a concurrent presence.
    case tombstone
    /// A deletion that nothing survives; made by the library server only.
    case purge
}

/// The fields of every entity kind this version knows; others are stored and forwarded untouched.
package struct Schema: Sendable {
    /// One field of a kind.
    package struct Field: Sendable {
        /// Its number.
        package let id: FieldID
        /// Its name in the API.
        package let name: String
        /// How it merges.
        package let rule: MergeRule
        /// The value of an unwritten field; never written as a change.
        package let defaultValue: FieldValue

        /// Describes a field.
        package init(_ id: UInt16, _ name: String, _ rule: MergeRule, default defaultValue: FieldValue = .nothing) {
            self.id = FieldID(rawValue: id)
            self.name = name
            self.rule = rule
            self.defaultValue = defaultValue
        }
    }

    private let kinds: [EntityKind: [FieldID: Field]]

    /// Lists the fields of each kind; every kind also has the purge.
    package init(_ kinds: [EntityKind: [Field]]) {
        self.kinds = kinds.mapValues { fields in
            let purge = Field(0, "purge", .purge)
            return Dictionary(([purge] + fields).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The field of a kind; nil if this version does not know it.
    package func field(_ id: FieldID, of kind: EntityKind) -> Field? { kinds[kind]?[id] }

    /// The fields of a kind, ordered by number.
    package func fields(of kind: EntityKind) -> [Field] {
        (kinds[kind] ?? [:]).values.sorted { $0.id < $1.id }
    }

    /// The kinds this version knows.
    package var knownKinds: [EntityKind] { kinds.keys.sorted() }
}
