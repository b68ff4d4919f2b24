import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import LibraryAPI
import PhotoModel
import Terminal

struct RefusedChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "refused",
        "Lists changes of this box that the library rejected permanently, and deletes them.",
        "A refused change is no longer shown anywhere; make it again once the reason is resolved.",
        examples: ["tintype-agent assets refused", "tintype-agent assets refused --forget"]
    )

    @Flag(help: "Deletes all of them.")
    var forget = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let store = try common.agent(isGuestWelcome: true).store
        let refused = try store.refusedChanges()
        if forget { _ = try store.dropRefusedChanges() }
        if common.json {
            return Console.print(try JSONText.text(refused.map(RefusedDocument.init)))
        }
        guard !refused.isEmpty else { return Console.print("The library refused nothing.") }
        Console.print(
            Console.table(refused.map { ["\($0.madeAt)", $0.entity.words, Console.visible($0.problem.detail)] })
        )
        let count = Wording.count(refused.count, "change")
        Console.note(forget ? "\(count) forgotten" : "\(count) refused; --forget forgets them")
    }
}

/// A refused change as JSON.
private struct RefusedDocument: Encodable {
    let entity: String
    let madeAt: WallTime
    let code: String?
    let reason: String

    init(_ change: RefusedChange) {
        entity = change.entity.words
        madeAt = change.madeAt
        code = change.problem.code?.rawValue
        reason = change.problem.detail
    }
}
