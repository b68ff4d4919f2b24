import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct PickerChoose: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "choose",
        "Chooses photos for a picker session, in the terminal.",
        """
        Compare the code with what the asking device shows. On a terminal, numbers choose and unchoose, n and p \
        turn the page, done shares what is chosen, cancel shares nothing. Elsewhere --asset chooses.
        """,
        examples: [
            "tintypectl picker choose '/pick/0190c2d4-e5f6-7071-8293-a4b5c6d7e8f9#3f9a…'",
            #"tintypectl picker choose "$address" --asset 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60"#,
            #"tintypectl picker choose "$address" --cancel"#,
        ]
    )

    @Argument(help: "The address that the device shows; the part after # is a secret.", transform: PickAddress.init)
    var address: PickAddress

    @Option(help: .value("id", "An asset to choose, without asking; may be repeated."), transform: identifier)
    var asset: [AssetID] = []

    @Flag(help: "Shares nothing.")
    var cancel = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if cancel, !asset.isEmpty { throw ValidationError("--cancel shares nothing: leave --asset out.") }
    }

    func run() async throws {
        let pick = Pick(client: try common.client(), address: address)
        let document: PickDocument = try await pick.call(.pick)
        if cancel { return try show(try await pick.call(.cancelPick)) }
        if !asset.isEmpty {
            let chosen: PickDocument = try await pick.call(.choosePick, body: PickChoice(assets: asset))
            let gone = chosen.leftOut(of: asset)
            guard gone.isEmpty else {
                throw AdminError(
                    "\(Wording.count(gone.count, "photo")) can no longer be chosen: "
                        + "\(gone.map(\.description).joined(separator: ", ")). The session is still open.",
                    next: "the same command without \(gone.count == 1 ? "it" : "them"), or with --cancel"
                )
            }
            return try show(try await pick.call(.finishPick))
        }
        guard let ask = common.session.ask else {
            throw AdminError(
                .usage,
                "Nobody can be asked: standard input is not a terminal.",
                next: "the same command with --asset or --cancel"
            )
        }
        var dialog = PickDialog(document: document, session: common.session)
        try show(try await dialog.run(pick, ask))
    }

    private func show(_ document: PickDocument) throws {
        try common.show(.pickers(PickDocumentPage(sessions: [document]), now: common.session.now()))
    }
}

/// The address for the person choosing: `/pick/SESSION#SECRET`, optionally with the server before it.
struct PickAddress: Hashable {
    let session: PickerSessionID
    let secret: String

    /// Parses an address.
    ///
    /// - Throws: the expected format, for people.
    init(_ text: String) throws {
        let parts = text.split(separator: "#", maxSplits: 1)
        guard parts.count == 2, let name = parts[0].split(separator: "/").last,
            let session = PickerSessionID(String(name)),
            parts[1].utf8.count == 32, parts[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { throw ValidationError("“\(text)” is not an address to pick at: pass /pick/SESSION#SECRET as shown.") }
        self.session = session
        secret = String(parts[1])
    }
}

/// The calls of one picker session; the secret goes into a field, never into an address that logs repeat.
struct Pick {
    private static let secretField = "Tintype-Pick-Secret"

    let client: LibraryClient
    let address: PickAddress

    func call<Answer: Decodable>(
        _ endpoint: Endpoint,
        query: [(name: String, value: String)] = [],
        body: (any Encodable)? = nil,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await client.call(
            endpoint,
            [address.session],
            query: query,
            fields: [(name: Self.secretField, value: address.secret)],
            body: body
        )
    }
}

extension PickDocument {
    /// The assets of a choice that the library left out, because others trashed, hid or changed them.
    fileprivate func leftOut(of choice: [AssetID]) -> [AssetID] {
        let kept = Set(picked)
        return choice.filter { !kept.contains($0) }
    }
}

/// Choosing line by line, which works on every terminal.
struct PickDialog {
    private static let pageCount = 20

    private(set) var document: PickDocument
    let session: AdminSession
    /// The pages shown so far, the current one last.
    private var cursors: [ListCursor?] = [nil]
    private var page = AssetPage(assets: [])

    init(document: PickDocument, session: AdminSession) {
        self.document = document
        self.session = session
    }

    /// Shows pages and reads answers until the person is done.
    ///
    /// - Parameters:
    ///   - pick: the session's calls.
    ///   - ask: shows a prompt and reads a line; nil at the end of the input.
    /// - Returns: the ended session.
    /// - Throws: the library's error.
    mutating func run(_ pick: Pick, _ ask: (String) -> String?) async throws -> PickDocument {
        session.note(
            "\(InertText(document.caller)) shows \(document.code) and asks for up to "
                + "\(Wording.count(document.request.maximumCount, "photo")): \(InertText(document.request.purpose))\n"
        )
        try await load(pick)
        while true {
            let question = "\(document.picked.count) chosen; numbers, n, p, done or cancel: "
            guard let answer = ask(question) else { return try await pick.call(.cancelPick) }
            switch answer.lowercased().filter({ $0 != " " }) {
            case "done": return try await pick.call(.finishPick)
            case "cancel": return try await pick.call(.cancelPick)
            case "n" where page.next != nil:
                cursors.append(page.next)
                try await load(pick)
            case "p" where cursors.count > 1:
                cursors.removeLast()
                try await load(pick)
            default: try await choose(answer, pick)
            }
        }
    }

    private mutating func load(_ pick: Pick) async throws {
        let query = AssetQuery(limit: Self.pageCount, cursor: cursors.last ?? nil)
        page = try await pick.call(.pickAssets, query: query.items)
        show()
    }

    private mutating func choose(_ answer: String, _ pick: Pick) async throws {
        guard let numbers = Self.numbers(answer, upTo: page.assets.count) else {
            session.note("Type numbers from 1 to \(page.assets.count), for example 1 3-5; or n, p, done, cancel.\n")
            return
        }
        var picked = document.picked
        for number in numbers {
            let id = page.assets[number - 1].id
            if picked.contains(id) { picked.removeAll { $0 == id } } else { picked.append(id) }
        }
        do {
            document = try await pick.call(.choosePick, body: PickChoice(assets: picked))
            show()
            let gone = document.leftOut(of: picked)
            if !gone.isEmpty {
                session.note("No longer offered, so left out: \(Wording.count(gone.count, "photo")).\n")
            }
        } catch let error as LibraryClientError where error.problem?.status == 400 || error.problem?.status == 422 {
            session.note("\(InertText(error.message))\n")
        }
    }

    /// Parses numbers and ranges separated by spaces and commas; nil if empty or off the page.
    static func numbers(_ text: String, upTo count: Int) -> [Int]? {
        var numbers: [Int] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard 1...2 ~= ends.count, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last,
                1...count ~= first, 1...count ~= last
            else { return nil }
            numbers += first...last
        }
        return numbers.isEmpty ? nil : numbers
    }

    private func show() {
        let now = session.now()
        let table = Table(
            columns: [
                .init("NO", isNumeric: true), .init(""), .init("KIND"), .init("CAPTURED"),
                .init("NAME", isFlexible: true),
            ],
            rows: page.assets.enumerated().map { index, asset in
                let isPicked = document.picked.contains(asset.id)
                return [
                    Cell("\(index + 1)"), Cell(isPicked ? "✓" : "", .good), Cell(asset.kindName),
                    Cell(asset.captureAge(now: now)), Cell(asset.displayName),
                ]
            },
            ifEmpty: "There is nothing to choose from."
        )
        session.note(Renderer(format: .people, terminal: session.terminal).table(table))
    }
}
