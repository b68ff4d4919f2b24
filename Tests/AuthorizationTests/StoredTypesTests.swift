import Authorization
import FoundationEssentials
import PhotoModel
import TestSupport
import Testing

/// What the server keeps must come back as it was, after any history.
struct StoredTypesTests {
    private static let device = DeviceID(rawValue: 1)

    @Test("a decision record survives its encoding after any changes")
    func decisionRecord() {
        checkProperty("decision record", cases: 100, maximumSize: 12) { generator, size in
            var record = DecisionRecord(device: Self.device, at: WallTime(microsecondsSince1970: 0))
            for _ in 0..<size {
                let change = Self.change(&generator)
                let proposed = try? record.proposing(
                    change,
                    by: .administrator("anna"),
                    at: WallTime(millisecondsSince1970: Int64(generator.below(1 << 40))),
                    reason: "test"
                )
                if let proposed { record = try proposed.recorded { _, _, _ in } }
            }
            let decoded = try JSONDecoder().decode(DecisionRecord.self, from: JSONEncoder().encode(record))
            return decoded == record ? nil : "\(record) came back as \(decoded)"
        }
    }

    @Test("of several ceilings the lowest limit wins and gives its name; any may forbid picking")
    func strictest() {
        let policy = Ceiling(name: "policy", limit: .readWrite, isPickerAllowed: false)
        let gate = Ceiling(name: "gate", limit: .addOnly)
        #expect(Ceiling.strictest(of: []) == .unlimited)
        #expect(Ceiling.strictest(of: [policy]) == policy)
        #expect(
            Ceiling.strictest(of: [policy, gate, .unlimited])
                == Ceiling(name: "gate", limit: .addOnly, isPickerAllowed: false)
        )
        #expect(Ceiling.strictest(of: [.unlimited, policy]).name == "policy")
    }

    private static func change(_ generator: inout SeededGenerator) -> DecisionRecord.Change {
        switch generator.below(5) {
        case 0: .answer(generator.pick(AccessDecision.Answer.allCases), for: Set(AccessLevel.allCases))
        case 1: .reset
        case 2: .selection(Selection(assets: [AssetID(rawValue: UInt128(generator.next()))], rules: [.images]))
        case 3: .ceiling(Ceiling(name: "gate", limit: generator.pick(Ceiling.Limit.allCases)))
        default: .state(generator.pick([.approved, .drainRequested, .revoked(wipe: true), .forkDetected]))
        }
    }
}
