import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct PickerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "picker",
        "Shows and answers picker sessions.",
        """
        A device that may see nothing can still ask a person for some photos: it shows an address, and gets only \
        what is chosen there.
        """,
        examples: [
            "tintypectl picker list",
            "tintypectl picker choose '/pick/0190c2d4-e5f6-7071-8293-a4b5c6d7e8f9#3f9a…'",
            "tintypectl picker end 0190c2d4-e5f6-7071-8293-a4b5c6d7e8f9",
        ],
        subcommands: [PickerList.self, PickerChoose.self, PickerEnd.self]
    )
}

struct PickerList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists picker sessions, the newest last.",
        examples: ["tintypectl picker list", "tintypectl picker list --open --quiet"]
    )

    @Flag(help: "Only sessions in which a person is still choosing.")
    var open = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        var page: PickDocumentPage = try await common.client().call(.adminPickers)
        if open { page.sessions.removeAll { $0.state != .open } }
        try common.show(.pickers(page, now: common.session.now()))
    }
}

struct PickerEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "end",
        "Ends picker sessions; items not fetched by then are no longer available.",
        examples: [
            "tintypectl picker end 0190c2d4-e5f6-7071-8293-a4b5c6d7e8f9",
            "tintypectl picker list --open --quiet | xargs tintypectl picker end",
        ]
    )

    @Argument(help: "The sessions, from tintypectl picker list.", transform: identifier)
    var sessions: [PickerSessionID]

    @OptionGroup var common: CommonOptions

    func run() async throws { try await common.end(sessions, .adminEndPicker, "Ended", "session") }
}

extension Report {
    static func pickers(_ page: PickDocumentPage, now: WallTime) -> Report {
        let table = Table(
            columns: [
                .init("SESSION"), .init("STATE"), .init("FOR", isFlexible: true), .init("CODE", isOptional: true),
                .init("CHOSEN", isNumeric: true), .init("ENDS", isOptional: true),
                .init("PURPOSE", isFlexible: true, isOptional: true),
            ],
            rows: page.sessions.map { session in
                [
                    Cell("\(session.id)"), Cell(session.state.rawValue, session.state == .open ? .warning : .plain),
                    Cell(session.caller), Cell(session.code),
                    Cell("\(session.picked.count)/\(session.request.selectionLimit ?? 1)"),
                    Cell(Wording.relative(session.expires, now: now)), Cell(session.request.purpose),
                ]
            },
            ifEmpty: "No picker sessions."
        )
        return Report(wire: page, identifiers: page.sessions.map(\.id.description), content: .table(table))
    }
}
