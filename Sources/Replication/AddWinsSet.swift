/// An observed-remove set in which an add beats a concurrent remove: it contains every element with at least one add
/// that no remove has seen.
package struct AddWinsSet: Hashable, Sendable {
    /// The elements, ordered by their encoded bytes.
    package let elements: [FieldValue]

    /// Reads a set from its live writes.
    package init(_ writes: [FieldWrite]) {
        let encoded = writes.map(\.value.encoded).sorted { $0.lexicographicallyPrecedes($1) }
        elements = encoded.reduce(into: [[UInt8]]()) { if $0.last != $1 { $0.append($1) } }.map(
            FieldValue.init(encoded:)
        )
    }

    /// Whether the set contains an element.
    package func contains(_ element: FieldValue) -> Bool { elements.contains(element) }
}

/// A map that only grows: the first write of each key, by (stamp, replica), is final.
package struct GrowOnlyMap: Hashable, Sendable {
    private let entries: [FieldValue: FieldValue]

    /// Reads a map from its live writes.
    package init(_ writes: [FieldWrite]) {
        entries = Dictionary(
            writes.sorted { $0.loses(to: $1) }.map { (Self.key(of: $0.value), $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The entries, ordered by their keys' encoded bytes.
    package var values: [FieldValue] {
        entries.sorted { $0.key.encoded.lexicographicallyPrecedes($1.key.encoded) }.map(\.value)
    }

    /// The entry with the same key.
    package func value(forKeyOf entry: FieldValue) -> FieldValue? { entries[Self.key(of: entry)] }

    private static func key(of entry: FieldValue) -> FieldValue {
        guard case .group(let members) = entry, let first = members.first else { return entry }
        return first
    }
}
