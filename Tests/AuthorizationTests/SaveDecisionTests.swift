import Authorization
import TestSupport
import Testing

/// One line of the save table.
struct SaveCase: CustomTestStringConvertible, Sendable {
    let cells: [String]
    var testDescription: String { "(\(cells[0]), \(cells[1]))" }
    static let all = Fixture("save-decision").rows.map(SaveCase.init)
}

@Suite("The save decision")
struct SaveDecisionTests {
    private static let texts: [String: Set<String>] = [
        "library; album kept as deferred intent; the asset joins the selection": ["library", "deferred"],
        "library now; request readWrite; album deferred": ["library", "readWrite", "deferred"],
        "library; album deferred": ["library", "deferred"],
        "request addOnly; hold(pending)": ["addOnly", "hold(pending)"],
        "request readWrite; hold(pending)": ["readWrite", "hold(pending)"],
    ]

    private func parts(_ decision: SaveDecision) -> Set<String> {
        var parts: Set<String> =
            switch decision.placement {
            case .album: ["album"]
            case .library: ["library"]
            case .hold(let reason): ["hold(\(reason.rawValue))"]
            }
        if let level = decision.request { parts.insert(level.rawValue) }
        if decision.defersAlbum { parts.insert("deferred") }
        return parts
    }

    @Test("002.10-002.17, 000.13, 004.71: both columns of the save table", arguments: SaveCase.all)
    func line(_ line: SaveCase) {
        let readWrite = AuthorizationStatus(untrusted: line.cells[0])
        let addOnly = AuthorizationStatus(untrusted: line.cells[1])
        #expect(readWrite.name == line.cells[0] && addOnly.name == line.cells[1])
        for (wantsAlbum, text) in [(false, line.cells[2]), (true, line.cells[3])] {
            let decision = SaveDecision(readWrite: readWrite, addOnly: addOnly, wantsAlbum: wantsAlbum)
            let expected = Self.texts[text] ?? [text]
            #expect(parts(decision) == expected)
        }
    }

    @Test("The table has its eleven pairs")
    func size() {
        #expect(SaveCase.all.count == 11)
    }

    @Test(
        "002.14: all 25 pairs: what saves needs addOnly or the whole library; what holds has a reason and a next step"
    )
    func total() {
        for readWrite in AuthorizationStatus.allCases {
            for addOnly in AuthorizationStatus.allCases {
                for wantsAlbum in [false, true] {
                    let decision = SaveDecision(readWrite: readWrite, addOnly: addOnly, wantsAlbum: wantsAlbum)
                    switch decision.placement {
                    case .album: #expect(readWrite == .authorized && wantsAlbum)
                    case .library: #expect(addOnly.grantsAccess || readWrite == .authorized)
                    case .hold(let reason):
                        #expect(!addOnly.grantsAccess && readWrite != .authorized)
                        #expect(!reason.words.isEmpty && !reason.nextStep.isEmpty)
                    }
                    // 002.17: never more than addOnly for who only saves; 002.6: only what is undecided is asked for.
                    #expect(wantsAlbum || decision.request != .readWrite)
                    if let level = decision.request {
                        #expect((level == .addOnly ? addOnly : readWrite) == .notDetermined)
                    }
                }
            }
        }
    }

    @Test("002.18, 002.20: with any answers in any order, saving comes to rest after at most two answers")
    func terminates() {
        checkProperty("the save decision terminates", cases: 500) { generator, _ in
            var decision = AccessDecision()
            let ceiling = Ceiling(name: "c", limit: generator.pick(Ceiling.Limit.allCases))
            let wantsAlbum = generator.oneIn(2)
            for step in 0..<4 {
                let access = ceiling.clamping(decision)
                let save = SaveDecision(readWrite: access.readWrite, addOnly: access.addOnly, wantsAlbum: wantsAlbum)
                guard let level = save.request else { return nil }
                let again = SaveDecision(readWrite: access.readWrite, addOnly: access.addOnly, wantsAlbum: wantsAlbum)
                guard again == save else { return "the same statuses gave another decision" }
                guard decision.status(for: level) == .notDetermined else { return "asked for what was answered" }
                guard step < 3 else { return "still asking after three answers" }
                decision = decision.answered(generator.pick(AccessDecision.Answer.allCases), for: [level])
            }
            return nil
        }
    }

    @Test("000.14, 000.20: a hundred captures while pending are a hundred holds, and none is dropped")
    func pendingHolds() {
        let decisions = (0..<100).map { _ in
            SaveDecision(readWrite: .notDetermined, addOnly: .notDetermined, wantsAlbum: false)
        }
        #expect(decisions.allSatisfy { $0.placement == .hold(.pending) })
    }
}
