import Replication
import TestSupport
import Testing

/// An old and a new version of the schema side by side.
struct SchemaVersionTests {
    private static let newField = FieldID(rawValue: 40)
    private static let newKind = EntityKind(rawValue: 10)

    private static let newer = Schema([
        .asset: [Schema.Field(7, "title", .latest), Schema.Field(40, "mood", .addWinsSet)],
        newKind: [Schema.Field(1, "face", .latest)],
    ])

    @Test("an old version stores and forwards a new one's fields and kinds, and what it removes from them")
    func oldForwardsNew() {
        checkProperty("schema versions", cases: 60, maximumSize: 25) { generator, size in
            var fresh = [0, 1].map { _ in
                TestReplica(
                    author: Author(incarnation: Incarnation(replica: ReplicaID(using: &generator)), milliseconds: 1)
                )
            }
            var old = TestReplica(
                author: Author(incarnation: Incarnation(replica: ReplicaID(using: &generator)), milliseconds: 1)
            )
            let person = EntityID(kind: Self.newKind, 3)
            for _ in 0..<size {
                let who = generator.below(2)
                let mood = FieldValue.unrecognized([77, UInt8(generator.below(3))])
                var replica = fresh[who]
                switch generator.below(5) {
                case 0:
                    let face = FieldValue.integer(Int64(generator.below(9)))
                    _ = try replica.state.set(
                        face,
                        field: FieldID(rawValue: 1),
                        of: person,
                        by: &replica.author,
                        schema: Self.newer
                    )
                case 1:
                    _ = try replica.state.remove(mood, from: Self.newField, of: .asset(1), by: &replica.author)
                case 2:
                    _ = try old.state.set(.text("o"), field: AssetField.title, of: .asset(1), by: &old.author)
                default:
                    _ = try replica.state.add(mood, to: Self.newField, of: .asset(1), by: &replica.author)
                }
                fresh[who] = replica
                // The two new versions meet through the old one alone, over its bytes.
                old.state.merge(try ReplicaState(canonicalBytes: fresh[who].state.canonicalBytes))
                if generator.oneIn(2) {
                    fresh[1 - who].state.merge(try ReplicaState(canonicalBytes: old.state.canonicalBytes))
                }
            }
            fresh.indices.forEach { fresh[$0].state.merge(old.state) }
            let bytes = fresh.map(\.state.canonicalBytes) + [old.state.canonicalBytes]
            return Set(bytes).count == 1 ? nil : "the versions do not converge"
        }
    }

    @Test("a change of an unknown field or kind is admitted")
    func admission() {
        for kind in [EntityKind.asset, Self.newKind] {
            let change = Change(
                entity: EntityID(kind: kind, 1),
                field: Self.newField,
                dot: Dot(replica: ReplicaID(rawValue: 1), counter: 1),
                after: 0,
                stamp: HybridTimestamp(milliseconds: 1),
                value: nil,
                superseded: []
            )
            #expect(throws: Never.self) { try Schema.library.admit(change, isFromServer: false) }
        }
    }
}
