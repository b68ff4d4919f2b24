import Authorization
import Testing

/// One line of the status table.
struct StatusCase: CustomTestStringConvertible, Sendable {
    let cells: [String]
    var testDescription: String { cells.joined(separator: " ") }
    static let all = Fixture("authorization-status").rows.map(StatusCase.init)

    /// The decision that the administrator's answer stores.
    var decision: AccessDecision {
        let levels: Set<AccessLevel> =
            cells[1] == "both" ? [.addOnly, .readWrite] : [cells[1] == "addOnly" ? .addOnly : .readWrite]
        let answer: AccessDecision.Answer? =
            switch cells[2] {
            case "allow", "add-only": .addOnly
            case "deny": AccessDecision.Answer.none
            case "none": cells[1] == "none" ? nil : AccessDecision.Answer.none
            case "selected": .selected
            case "all": .all
            default: nil
            }
        return answer.map { AccessDecision().answered($0, for: levels) } ?? AccessDecision()
    }
}

@Suite("The status table")
struct StatusTableTests {
    @Test("002.4-002.9: every history of answers shows as the table says", arguments: StatusCase.all)
    func line(_ line: StatusCase) {
        let decision = line.decision
        let found = [
            decision.addOnly.rawValue, decision.readWrite.rawValue,
            decision.status(for: .addOnly).name, decision.status(for: .readWrite).name,
            decision.status(for: .addOnly) == .notDetermined ? "yes" : "no",
            decision.status(for: .readWrite) == .notDetermined ? "yes" : "no",
        ]
        #expect(found == Array(line.cells[3...]))
    }

    @Test("The table has its ten cases")
    func size() {
        #expect(StatusCase.all.count == 10)
    }

    @Test("002.2: raw values are PhotoKit's")
    func rawValues() {
        let order: [AuthorizationStatus] = [.notDetermined, .restricted, .denied, .authorized, .limited]
        #expect(order.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test("004.67, 001.15: a status that is not known yet is denied", arguments: [-1, 5, 99, Int.max, Int.min])
    func unknownStatus(_ raw: Int) {
        #expect(AuthorizationStatus(untrusted: raw) == .denied)
        #expect(AuthorizationStatus(untrusted: "status\(raw)") == .denied)
    }

    @Test("002.9: the four answers, and no others")
    func answers() {
        #expect(AccessDecision.Answer.allCases.map(\.rawValue) == ["all", "selected", "add-only", "none"])
    }

    @Test("The ceiling clamps and never raises; lifting it restores; restrictedBy names it exactly when it takes away")
    func ceilings() {
        for addOnly in AccessDecision.AddOnly.allCases {
            for readWrite in AccessDecision.ReadWrite.allCases {
                let decision = AccessDecision(addOnly: addOnly, readWrite: readWrite)
                let free = Ceiling.unlimited.clamping(decision)
                #expect(free.addOnly == decision.status(for: .addOnly))
                #expect(free.readWrite == decision.status(for: .readWrite))
                for limit in Ceiling.Limit.allCases {
                    let ceiling = Ceiling(name: "gate", limit: limit)
                    let clamped = ceiling.clamping(decision)
                    #expect(!clamped.addOnly.grantsAccess || free.addOnly.grantsAccess)
                    #expect(!clamped.readWrite.grantsAccess || free.readWrite.grantsAccess)
                    #expect(clamped.readWrite != .authorized || limit == .readWrite)
                    #expect((ceiling.restrictedBy(over: decision) == "gate") == (clamped != free))
                }
            }
        }
    }

    @Test("A ceiling of addOnly over a granted library gives addOnly authorized, readWrite restricted")
    func addOnlyCeiling() {
        let decision = AccessDecision().answered(.all, for: [.readWrite])
        let clamped = Ceiling(name: "gate", limit: .addOnly).clamping(decision)
        #expect(clamped == EffectiveAccess(addOnly: .authorized, readWrite: .restricted))
    }
}
