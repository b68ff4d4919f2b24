import Authorization
import PhotoModel
import Testing

@Suite("Requests")
struct RequestTests {
    private let start = WallTime(microsecondsSince1970: 0)
    private let usage = "Photographs who is at the gate."

    private func record(_ id: UInt128 = 1, _ answer: AccessDecision.Answer? = nil) throws -> DecisionRecord {
        var record = DecisionRecord(device: DeviceID(rawValue: id), at: start)
        var changes: [DecisionRecord.Change] = [.state(.approved)]
        if let answer { changes.append(.answer(answer, for: [.addOnly, .readWrite])) }
        for change in changes {
            let proposed = try record.proposing(change, by: .administrator("ana"), at: start, reason: "test")
            record = try proposed?.recorded { _, _, _ in } ?? record
        }
        return record
    }

    @Test("000.12, 001.16, 002.6: asking twice is one question; the levels are asked for apart (002.5, 002.7)")
    func oneQuestion() throws {
        var requests = AccessRequests()
        let record = try record()
        guard case .opened(let first) = try requests.request(.addOnly, for: record, usage: usage, from: "a", at: start)
        else { return #expect(Bool(false), "no question was opened") }
        let again = try requests.request(.addOnly, for: record, usage: usage, from: "a", at: start)
        #expect(again == .pending(first))
        _ = try requests.request(.readWrite, for: record, usage: usage, from: "a", at: start)
        #expect(requests.open.count == 2)
    }

    @Test("A new text replaces the open question's, with its time; of too many, the last one stays")
    func newText() throws {
        var requests = AccessRequests()
        let record = try record()
        _ = try requests.request(.readWrite, for: record, usage: usage, from: "a", at: start)
        let later = start.advanced(by: .seconds(60))
        for number in 2...AccessRequest.maximumUsageCount + 1 {
            let outcome = try requests.request(.readWrite, for: record, usage: "Text \(number)", from: "a", at: later)
            let open = try #require(requests.open.first)
            #expect(requests.open.count == 1 && open.openedAt == start)
            let isTaken = number <= AccessRequest.maximumUsageCount
            let expected: AccessRequests.Outcome = isTaken ? .replaced(open) : .pending(open)
            #expect(outcome == expected)
            #expect(open.usage.text == "Text \(min(number, AccessRequest.maximumUsageCount))")
        }
    }

    @Test("T25: denied stays denied across a reinstall with the same key, and opens no question")
    func remembered() throws {
        var requests = AccessRequests()
        let denied = try record(1, AccessDecision.Answer.none)
        let outcome = try requests.request(.addOnly, for: denied, usage: usage, from: "a", at: start)
        #expect(outcome == .remembered(.denied))
        #expect(requests.open.isEmpty)
    }

    @Test("An unanswered question ends after 7 days and can be asked again")
    func expiry() throws {
        var requests = AccessRequests()
        let record = try record()
        _ = try requests.request(.addOnly, for: record, usage: usage, from: "a", at: start)
        let end = start.advanced(by: AccessRequest.lifetime)
        let early = requests.expire(at: WallTime(microsecondsSince1970: end.microsecondsSince1970 - 1))
        let late = requests.expire(at: end)
        #expect(early.isEmpty && late.count == 1)
        guard case .opened = try requests.request(.addOnly, for: record, usage: usage, from: "a", at: end) else {
            return #expect(Bool(false), "the level could not be asked for again")
        }
    }

    @Test("T24: caps hold, in all and by address")
    func caps() throws {
        var requests = AccessRequests(limits: .init(total: 3, perAddress: 2))
        for (id, address, isTaken) in [
            (1, "a", true), (2, "a", true), (3, "a", false), (4, "b", true), (5, "c", false),
        ] {
            let record = try record(UInt128(id))
            if isTaken {
                _ = try requests.request(.addOnly, for: record, usage: usage, from: address, at: start)
            } else {
                let error = #expect(throws: AuthorizationError.self) {
                    try requests.request(.addOnly, for: record, usage: usage, from: address, at: start)
                }
                #expect(error?.code == .slowDown)
            }
        }
        #expect(requests.open.count == 3)
    }

    @Test(
        "Usage texts that say nothing are refused with 422",
        arguments: [
            ("", UsageText.Problem.empty), ("  \t ", .empty), ("a\nb", .severalLines), ("a\u{2028}b", .severalLines),
            ("a\u{1B}[31m", .controlCharacter), ("a\u{202E}b", .controlCharacter), (UsageText.template, .template),
            ("say here why this DEVICE needs this access", .template), (String(repeating: "x", count: 281), .tooLong),
        ]
    )
    func usageTexts(_ text: String, _ problem: UsageText.Problem) throws {
        #expect(UsageText.problem(in: text) == problem)
        var requests = AccessRequests()
        let record = try record()
        let error = #expect(throws: AuthorizationError.self) {
            try requests.request(.addOnly, for: record, usage: text, from: "a", at: start)
        }
        #expect(error?.code == .usageMissing)
    }

    @Test("A usage text may have 280 characters")
    func longestUsage() {
        #expect(UsageText.problem(in: String(repeating: "é", count: 280)) == nil)
    }

    @Test("The code has eight letters without vowels, changes with the digest, and is read back leniently")
    func verificationCode() throws {
        let zero = try #require(ContentDigest(bytes: [UInt8](repeating: 0, count: 32)))
        let one = try #require(ContentDigest(bytes: [UInt8](repeating: 1, count: 32)))
        let code = VerificationCode(digest: one)
        #expect(VerificationCode(digest: zero).description == "BBBB-BBBB")
        #expect(code != VerificationCode(digest: zero))
        #expect(code.description.allSatisfy { "BCDFGHJKLMNPQRSTVWXZ-".contains($0) } && code.description.count == 9)
        #expect(code.matches(typed: code.description.lowercased().replacing("-", with: "")))
        #expect(!code.matches(typed: "BBBB-BBBB"))
        let inputs = [
            VerificationCode.input(fingerprint: zero, nonce: [1]), VerificationCode.input(fingerprint: one, nonce: [1]),
        ]
        #expect(inputs[0] != inputs[1])
    }

    @Test(
        "T43: names that look alike are found and marked; the fingerprint is shown",
        arguments: ["gаte-1", "GATE 1", "gate\u{200B}1", "gate-l"]
    )
    func lookAlikes(_ name: String) throws {
        let fingerprint = try #require(ContentDigest(bytes: [UInt8](repeating: 0xAB, count: 32)))
        let own = DeviceName("gate-1")
        #expect(DeviceName(name).skeleton == own.skeleton)
        #expect(DeviceName("gate-2").skeleton != own.skeleton)
        let shown = DeviceName(name).shown(with: fingerprint)
        #expect(shown.contains("[abababababababab]") && !shown.contains("\u{200B}"))
        #expect(DeviceName(name).isMarked == name.unicodeScalars.contains { $0.value > 0x7E })
    }

    @Test("004.65, 004.66, 004.68: at most one reminder a day, none unless wanted, none of a device that sees all")
    func reminder() throws {
        let reminder = ExpansionReminder(isPrevented: false)
        let noon = try #require(WallTime("2026-05-31T12:00:00Z"))
        let cases: [(AuthorizationStatus, WallTime?, Bool)] = [
            (.limited, nil, true), (.limited, noon, false),
            (.limited, noon.advanced(by: .seconds(-86_399)), false),
            (.limited, noon.advanced(by: .seconds(-86_400)), true),
            (.limited, noon.advanced(by: .seconds(1)), true),
            (.authorized, nil, false), (.denied, nil, false), (.notDetermined, nil, false),
        ]
        for (status, last, isDue) in cases {
            #expect(reminder.isDue(at: status, last: last, now: noon) == isDue, "\(status)")
            #expect(!ExpansionReminder().isDue(at: status, last: last, now: noon))
        }
    }
}
