import Authorization
import Foundation
import LibraryAPI
import PhotoModel
import Testing

@testable import AdminCommands

struct DeviceCommandTests {
    private let library = StubLibrary()

    private func hold(_ devices: [DeviceSummary]) throws {
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: devices))
    }

    private func prefix(_ device: DeviceSummary, _ count: Int = 8) -> String {
        String(device.keyFingerprint.description.prefix(count))
    }

    @Test("T36, T43: the list shows fingerprints, relative times and marked names, and obeys no device's name")
    func list() async throws {
        var forged = Samples.device(2, name: "gate\u{1B}[31m\n", state: .pending)
        forged.lookAlikes = [DeviceID(rawValue: 1)]
        forged.lastSeen = nil
        try hold([Samples.device(1, readWrite: .limited), forged])
        let outcome = await CommandRunner(library: library).run(["device", "list"])
        let expected = """
            FINGERPRINT   NAME              STATE    MAY        LAST SEEN  NOTE
            4bf5122f3445  gate              active   selection  5 s ago
            dbc1b4c900ff  gate\\u{1B}[31m\\n  pending  undecided  never      \
            shows WDJB-MJHT; name looks like another device's; unusual characters in its name

            """
        #expect(outcome.output == expected)
        #expect(outcome.notes == "next: tintypectl device approve dbc1b4c900ff --as add-only\n")
        #expect(outcome.status == 0)
    }

    @Test("a revoked device may do nothing, whatever was decided before")
    func revokedAccess() async throws {
        try hold([Samples.device(1, state: .revoked, readWrite: .authorized), Samples.device(2, state: .revoked)])
        let outcome = await CommandRunner(library: library).run(["device", "list"])
        let rows = outcome.output.split(separator: "\n").dropFirst()
        #expect(rows.count == 2 && rows.allSatisfy { $0.contains("nothing") }, "\(outcome.output)")
    }

    @Test("the list follows every page")
    func pages() async throws {
        let (first, second) = (Samples.device(1), Samples.device(2))
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [first], next: first.id))
        try library.answer("GET /v1/admin/devices?after=\(first.id)", with: DevicePage(devices: [second]))
        let outcome = await CommandRunner(library: library).run(["device", "list", "--quiet"])
        #expect(outcome.output == "\(first.id)\n\(second.id)\n")
    }

    @Test("a prefix that several keys share, or none has, changes nothing")
    func ambiguity() async throws {
        var twin = Samples.device(2)
        let device = Samples.device(1)
        twin.keyFingerprint = try #require(ContentDigest(prefix(device, 60) + "0000"))
        try hold([device, twin])
        let runner = CommandRunner(library: library)
        let several = await runner.run(["device", "revoke", prefix(device), "--yes"])
        #expect(several.status == 1)
        #expect(several.notes.contains("2 devices have a fingerprint or an identifier that begins with"))
        let none = await runner.run(["device", "revoke", "ffffffff", "--yes"])
        #expect(none.status == 1)
        #expect(none.notes.contains("next: tintypectl device list"))
        #expect(library.requests.allSatisfy { $0.line.hasPrefix("GET ") })
    }

    @Test("a device that waits is approved by the code that it shows, which the server compares again")
    func approveByCode() async throws {
        let device = Samples.device(1, state: .pending)
        let code = try #require(device.verificationCode)
        try hold([device, Samples.device(2)])
        try library.answer("POST /v1/admin/devices/\(device.id)/decision", with: Samples.device(1))
        let runner = CommandRunner(library: library)
        let outcome = await runner.run(["device", "approve", code.lowercased(), "--as", "selected"])
        #expect(outcome.status == 0 && outcome.notes.contains("tintypectl selection add"), "\(outcome.notes)")
        #expect(library.requests.last?.body == #"{"answer":"selected","expectedCode":"\#(code)"}"#)
        let other = await runner.run(["device", "approve", "BBBB-BBBB", "--as", "selected"])
        #expect(other.status == 1 && other.notes.contains("No device has the code BBBB-BBBB"))
    }

    @Test("a device is limited in one step, its selection first; a rule is made of conditions, and none is refused")
    func limit() async throws {
        let device = Samples.device(1)
        try hold([device])
        let selection = "/v1/admin/selections/\(device.id)"
        try library.answer("PUT \(selection)", with: Selection(rules: [.favorites]))
        try library.answer("GET \(selection)", with: Selection(rules: [.favorites]))
        try library.answer("POST /v1/admin/devices/\(device.id)/decision", with: device)
        let runner = CommandRunner(library: library)
        let limited = await runner.run(["device", "limit", prefix(device), "--rule", "\"favorites\""])
        #expect(limited.status == 0, "\(limited.notes)")
        #expect(library.requests.suffix(2).map { String($0.line.prefix(4)) } == ["PUT ", "POST"])
        let rule = await runner.run(["selection", "rule", prefix(device), "--type", "livePhotos", "--favourite"])
        #expect(rule.status == 0, "\(rule.notes)")
        let sent = try JSONDecoder().decode(Selection.self, from: Data((library.requests.last?.body ?? "").utf8))
        #expect(sent.rules == [.favorites, .all([.kind(.livePhotos), .favorites])])
        let everything = await runner.run(["selection", "rule", prefix(device)])
        #expect(everything.status == 64 && everything.notes.contains("would select everything"))
    }

    @Test("approving sends the answer with the expected code")
    func approve() async throws {
        let device = Samples.device(1, state: .pending)
        try hold([device])
        try library.answer("POST /v1/admin/devices/\(device.id)/decision", with: Samples.device(1))
        let outcome = await CommandRunner(library: library)
            .run(["device", "approve", prefix(device), "--as", "add-only", "--expect-code", "WDJB-MJHT"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("add only"))
        #expect(library.requests.last?.body == #"{"answer":"add-only","expectedCode":"WDJB-MJHT"}"#)
    }

    @Test(
        "without a code a person is asked; a no, or nobody to ask, changes nothing",
        arguments: [(true, "n", Int32(1)), (true, nil, 1), (true, "y", 0), (false, nil, 64)]
    )
    func asking(isAsked: Bool, reply: String?, status: Int32) async throws {
        let device = Samples.device(1, name: "gate\u{1B}[2J", state: .pending)
        try hold([device])
        try library.answer("POST /v1/admin/devices/\(device.id)/decision", with: Samples.device(1))
        let outcome = await CommandRunner(library: library, reply: reply, isAsked: isAsked)
            .run(["device", "approve", prefix(device), "--as", "all"])
        #expect(outcome.status == status)
        #expect(outcome.notes.contains("WDJB-MJHT"))
        #expect(!outcome.notes.contains("\u{1B}"))
        #expect(library.requests.contains { $0.line.hasPrefix("POST ") } == (status == 0))
    }

    @Test("only what waits is approved; the error names the command for others")
    func approveActive() async throws {
        let device = Samples.device(1)
        try hold([device])
        let outcome = await CommandRunner(library: library)
            .run(["device", "approve", prefix(device), "--as", "all", "--yes"])
        #expect(outcome.status == 1)
        #expect(outcome.notes.contains("tintypectl device decide \(prefix(device, 12)) --as all"))
    }

    @Test(
        "each change of state asks its own route",
        arguments: [
            (["revoke"], "revoke"), (["wipe"], "wipe"), (["drain"], "drain"), (["resolve"], "resolve"),
        ]
    )
    func states(words: [String], route: String) async throws {
        let device = Samples.device(1)
        try hold([device])
        let line = "POST /v1/admin/devices/\(device.id)/\(route)"
        try library.answer(line, with: Samples.device(1, state: .revoked))
        let outcome = await CommandRunner(library: library)
            .run(["device"] + words + [prefix(device), "--yes", "--reason", "sold"])
        #expect(outcome.status == 0)
        #expect(library.requests.last?.line == line)
        #expect(library.requests.last?.body == #"{"reason":"sold"}"#)
    }

    @Test("001.4: a device is shown with what people decided at it, and what was withdrawn and not yet followed")
    func consents() async throws {
        var device = Samples.device(1)
        device.consents = [
            DeviceConsent(capability: "camera", device: "usb-1", status: "authorized"),
            DeviceConsent(capability: "microphone", device: "hw:1", status: "authorized"),
            DeviceConsent(capability: "microphone", device: "hw:2", status: "denied"),
        ]
        device.consentWithdrawals = [ConsentWithdrawal(number: 3, capability: "microphone", device: "hw:1")]
        try hold([device])
        try library.answer("GET /v1/admin/devices/\(device.id)", with: device)
        try library.answer("GET /v1/admin/picker-sessions", with: PickDocumentPage(sessions: []))
        let lines = await CommandRunner(library: library).run(["device", "show", prefix(device)]).output
            .split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines.filter { $0.hasPrefix("Camera") || $0.hasPrefix("Microphone") } == [
                "Camera: authorized: usb-1",
                "Microphone: authorized: hw:1; withdrawn, but the box has not applied it yet",
                "Microphone: denied: hw:2",
            ]
        )
    }

    @Test(
        "001.4: a consent is withdrawn for one capability, one device or all, and never granted",
        arguments: [
            (["microphone", "--reason", "no sound"], #"{"capability":"microphone","reason":"no sound"}"#),
            (["camera", "--name", "usb-1"], #"{"capability":"camera","device":"usb-1"}"#),
            (["all"], "{}"),
        ]
    )
    func withdrawConsent(words: [String], body: String) async throws {
        let device = Samples.device(1)
        try hold([device])
        let line = "POST /v1/admin/devices/\(device.id)/consents/withdrawals"
        try library.answer(line, with: device)
        let runner = CommandRunner(library: library)
        let outcome = await runner.run(["device", "withdraw-consent", prefix(device)] + words)
        #expect(outcome.status == 0 && outcome.notes.contains("when the box has followed"), "\(outcome.notes)")
        #expect(library.requests.last?.line == line && library.requests.last?.body == body)
        let odd = await runner.run(["device", "withdraw-consent", prefix(device), "authorized"])
        #expect(odd.status == 64)
    }

    @Test("a request is answered for the levels that were asked for, and for no other")
    func requests() async throws {
        var device = Samples.device(1)
        device.authorization.pending = [.init(level: "readWrite", expires: "2026-12-01T00:00:00Z")]
        try hold([device, Samples.device(2)])
        try library.answer("POST /v1/admin/devices/\(device.id)/decision", with: device)
        let runner = CommandRunner(library: library)
        let outcome = await runner.run(["request", "decide", prefix(device), "--as", "selected"])
        #expect(outcome.status == 0)
        #expect(library.requests.last?.body == #"{"answer":"selected","levels":["readWrite"]}"#)
        let silent = await runner.run(["request", "decide", prefix(Samples.device(2)), "--as", "all"])
        #expect(silent.status == 1)
        #expect(silent.notes.contains("tintypectl device decide"))
    }

    @Test("a decision covers both levels, whatever the device asks for; a level that is named, that one")
    func decide() async throws {
        var device = Samples.device(1)
        device.authorization.pending = [.init(level: "readWrite", expires: "2026-12-01T00:00:00Z")]
        try hold([device])
        try library.answer("POST /v1/admin/devices/\(device.id)/decision", with: device)
        let runner = CommandRunner(library: library)
        let words = ["device", "decide", prefix(device), "--as", "none"]
        #expect(await runner.run(words).status == 0)
        #expect(library.requests.last?.body == #"{"answer":"none","levels":["addOnly","readWrite"]}"#)
        #expect(await runner.run(words + ["--level", "readWrite"]).status == 0)
        #expect(library.requests.last?.body == #"{"answer":"none","levels":["readWrite"]}"#)
    }

    @Test("a token is printed with the command for the box; --quiet prints the token alone")
    func token() async throws {
        let request = EnrollmentTokenRequest(maximum: "addOnly", album: "Gate", uses: 2, expiresSeconds: 86_400)
        let summary = EnrollmentTokenSummary(
            id: EnrollmentTokenID(rawValue: 5),
            request: request,
            usesLeft: 2,
            expires: Samples.now.advanced(by: .seconds(86_400)),
            createdBy: "uid:0",
            created: Samples.now
        )
        let answer = EnrollmentTokenResponse(token: "TT1.aa.bb", summary: summary)
        try library.answer("POST /v1/admin/enrollment-tokens", with: answer)
        let words = ["enrollment-token", "create", "--max", "add-only", "--album", "Gate", "--uses", "2"]
        let runner = CommandRunner(library: library)
        let outcome = await runner.run(words)
        #expect(outcome.output.contains("tintype-agent enroll https://photos:8443 --token TT1.aa.bb\n"))
        #expect(outcome.output.contains("in 24 h"))
        #expect(library.requests.last?.body.contains(#""maximum":"addOnly""#) == true)
        #expect(await runner.run(words + ["--quiet"]).output == "TT1.aa.bb\n")
        let told = EnrollmentTokenResponse(token: "TT1.aa.bb", summary: summary, address: "https://photos:24817")
        try library.answer("POST /v1/admin/enrollment-tokens", with: told)
        #expect(await runner.run(words).output.contains("enroll https://photos:24817 --token"))
        let elsewhere = await runner.run(words + ["--server", "https://10.0.0.9:9443"])
        #expect(elsewhere.output.contains("enroll https://10.0.0.9:9443 "))
    }
}
