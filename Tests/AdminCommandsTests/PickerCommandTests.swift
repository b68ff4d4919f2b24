import FoundationEssentials
import LibraryAPI
import PhotoModel
import Testing

@testable import AdminCommands

struct PickerCommandTests {
    private let library = StubLibrary()
    private let session = PickerSessionID(rawValue: 9)
    private var address: String { "/pick/\(session)#\(String(repeating: "3f", count: 16))" }

    private func document(_ state: PickerSession.State = .open, picked: [AssetID] = []) -> PickDocument {
        var request = PickerRequest(purpose: "for the frame\u{1B}[2J")
        request.selectionLimit = 2
        return PickDocument(
            id: session,
            caller: "device hall",
            deviceID: nil,
            code: "WDJB",
            request: request,
            strip: [.location],
            encoding: .current,
            state: state,
            picked: picked,
            created: Samples.now,
            expires: Samples.now.advanced(by: .seconds(900))
        )
    }

    private func hold() throws -> [Asset] {
        let assets = (1...3).map { Samples.livePhoto(UInt128($0), name: "IMG_\($0)").asset }
        try library.answer("GET /v1/picks/\(session)", with: document())
        try library.answer(
            "GET /v1/picks/\(session)/assets?sort=-captureDate&limit=20",
            with: AssetPage(assets: Array(assets[..<2]), next: ListCursor(text: "c"))
        )
        try library.answer(
            "GET /v1/picks/\(session)/assets?sort=-captureDate&limit=20&cursor=c",
            with: AssetPage(assets: [assets[2]])
        )
        try library.answer(
            "PUT /v1/picks/\(session)/selection",
            with: document(picked: [assets[0].id, assets[2].id])
        )
        try library.answer("POST /v1/picks/\(session)/done", with: document(.done, picked: [assets[0].id]))
        try library.answer("POST /v1/picks/\(session)/cancel", with: document(.cancelled))
        return assets
    }

    @Test("a person chooses by numbers over pages, and is done; what is foreign is inert")
    func dialog() async throws {
        let assets = try hold()
        var runner = CommandRunner(library: library, isAsked: true)
        runner.replies = ["9", "1", "n", "1", "p", "done"]
        let outcome = await runner.run(["picker", "choose", address])
        #expect(outcome.status == 0, "\(outcome.notes)")
        #expect(outcome.notes.contains("device hall shows WDJB and asks for up to 2 photos"))
        #expect(outcome.notes.contains("Type numbers from 1 to 2"))
        #expect(!outcome.notes.contains("\u{1B}"))
        let puts = library.requests.filter { $0.line.hasPrefix("PUT") }.map(\.body)
        #expect(puts.first == #"{"assets":["\#(assets[0].id)"]}"#)
        #expect(puts.count == 2)
        #expect(library.requests.last?.line == "POST /v1/picks/\(session)/done")
        #expect(!library.requests.contains { $0.line.contains("3f3f") }, "the secret is in no address")
    }

    @Test("the input's end chooses nothing; scripts say what they choose")
    func scripts() async throws {
        let assets = try hold()
        var runner = CommandRunner(library: library, isAsked: true)
        _ = await runner.run(["picker", "choose", address])
        #expect(library.requests.last?.line == "POST /v1/picks/\(session)/cancel")
        runner.isAsked = false
        #expect(await runner.run(["picker", "choose", address]).status == 64)
        let chosen = await runner.run(["picker", "choose", address, "--asset", "\(assets[2].id)", "--quiet"])
        #expect(chosen.output == "\(session)\n")
        #expect(library.requests.suffix(2).map(\.line.first) == ["P", "P"])
        #expect(await runner.run(["picker", "choose", "/pick/\(session)"]).status == 64)
    }

    @Test("a photo that can no longer be chosen is named, and nothing is handed over without it")
    func leftOut() async throws {
        let assets = try hold()
        var runner = CommandRunner(library: library)
        let chosen = await runner.run(
            ["picker", "choose", address, "--asset", "\(assets[0].id)", "--asset", "\(assets[1].id)"]
        )
        #expect(chosen.status == 1)
        #expect(chosen.notes.contains("1 photo can no longer be chosen: \(assets[1].id)."), "\(chosen.notes)")
        #expect(chosen.notes.contains("next: the same command without it, or with --cancel"), "\(chosen.notes)")
        #expect(library.requests.last?.line == "PUT /v1/picks/\(session)/selection")
        runner.isAsked = true
        runner.replies = ["2", "cancel"]
        let outcome = await runner.run(["picker", "choose", address])
        #expect(outcome.notes.contains("No longer offered, so left out: 1 photo."), "\(outcome.notes)")
    }

    @Test(
        "numbers and ranges are those of the page",
        arguments: [
            ("1", [1]), ("1 3", [1, 3]), ("2-4", [2, 3, 4]), ("1,2", [1, 2]), ("", nil), ("0", nil), ("6", nil),
            ("3-2", nil), ("1-9", nil), ("a", nil), ("1-", nil), ("-1", nil), ("1-2-3", nil),
        ] as [(String, [Int]?)]
    )
    func numbers(text: String, numbers: [Int]?) {
        #expect(PickDialog.numbers(text, upTo: 5) == numbers)
    }

    @Test("sessions are listed and ended")
    func list() async throws {
        try library.answer(
            "GET /v1/admin/picker-sessions",
            with: PickDocumentPage(sessions: [document(), document(.done)])
        )
        library.accept("DELETE /v1/admin/picker-sessions/\(session)")
        let runner = CommandRunner(library: library)
        #expect(await runner.run(["picker", "list", "--open", "--quiet"]).output == "\(session)\n")
        #expect(await runner.run(["picker", "end", "\(session)"]).output == "Ended: 1 session.\n")
    }
}
