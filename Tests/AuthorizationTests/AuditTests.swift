import Authorization
import PhotoModel
import Testing

@Suite("The audit")
struct AuditTests {
    /// A stand-in for SHA-256 that every byte changes: FNV-1a, four times with different starts.
    private let chain = AuditChain { bytes in
        let words = (UInt64(0)..<4).map { lane in
            bytes.reduce(0xCBF2_9CE4_8422_2325 &+ lane) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        let digest = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
        guard let value = ContentDigest(bytes: digest) else { preconditionFailure("a digest has 32 bytes") }
        return value
    }

    private func entries(_ count: Int, actor: String = "ana") -> [AuditEntry] {
        var head = AuditHead.start
        return (0..<count).map { index in
            var content = AuditEntry.Content(.decide, by: actor)
            content.reason = "number \(index)"
            let entry = chain.entry(content, at: WallTime(microsecondsSince1970: Int64(index)), after: head)
            head = AuditHead(entry)
            return entry
        }
    }

    private func problem(_ entries: [AuditEntry], heads: [AuditHead] = []) -> AuditProblem? {
        do {
            try chain.verify(entries, signedHeads: heads)
            return nil
        } catch {
            return error
        }
    }

    @Test("T44: whole chains verify, in one piece and in two")
    func whole() throws {
        let entries = entries(5)
        #expect(problem(entries, heads: [AuditHead(entries[2]), AuditHead(entries[4])]) == nil)
        let middle = try chain.verify(entries.prefix(2))
        #expect(try chain.verify(entries.dropFirst(2), after: middle) == AuditHead(entries[4]))
    }

    @Test("T44: removal, reordering, doubling, truncation and replacement are found")
    func tampering() {
        let entries = entries(5)
        let signed = AuditHead(entries[4])
        #expect(problem([entries[0], entries[2]]) == .outOfOrder(expected: 2, found: 3))
        #expect(problem([entries[0], entries[2], entries[1]]) == .outOfOrder(expected: 2, found: 3))
        #expect(problem([entries[0], entries[0]]) == .outOfOrder(expected: 2, found: 1))
        #expect(problem(Array(entries.prefix(3)), heads: [signed]) == .truncated(sequence: 5))
        let other = self.entries(5, actor: "eve")
        #expect(problem([entries[0], other[1]]) == .broken(sequence: 2))
        #expect(problem(other, heads: [signed]) == .headMismatch(sequence: 5))
    }

    @Test("T44: a change of one field without a new digest is found")
    func changedField() {
        var content = AuditEntry.Content(.revoke, by: "ana")
        let forger = AuditChain { _ in entries(1)[0].digest }
        content.reason = "forged"
        let forged = forger.entry(content, at: WallTime(microsecondsSince1970: 0), after: .start)
        #expect(problem([forged]) == .tampered(sequence: 1))
    }

    @Test("Fields cannot run into each other: the same letters in other fields are other bytes")
    func canonical() {
        var first = AuditEntry.Content(.decide, by: "ana")
        var second = first
        (first.old, first.new) = ("ab", "c")
        (second.old, second.new) = ("a", "bc")
        let time = WallTime(microsecondsSince1970: 0)
        let bytes = [first, second].map { chain.entry($0, at: time, after: .start).canonicalBytes }
        #expect(bytes[0] != bytes[1])
    }
}
