import AgentCapture
import AgentService
import ArgumentParser
import FoundationEssentials
import LibraryAPI
import LibraryClient
import Terminal

struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "identity",
        "Renews this box's certificate, or changes its key.",
        subcommands: [IdentityRenewCommand.self, IdentityRotateCommand.self]
    )
}

struct IdentityRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "renew",
        "Gets a new certificate for the same key; sync does so automatically after a third of its lifetime.",
        examples: ["tintype-agent identity renew"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        try await agent.upkeep(agent.client()).renew()
        try await agent.wakeService()
        Console.print(common.json ? try JSONText.text(["renewed": true]) : "The certificate was renewed.")
    }
}

struct IdentityRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "rotate",
        "Creates a new key; decisions, queue and history stay. Repeat it if interrupted.",
        examples: ["tintype-agent identity rotate"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        try await agent.upkeep(agent.client()).rotate()
        try await agent.wakeService()
        Console.print(common.json ? try JSONText.text(["rotated": true]) : "The key was replaced.")
    }
}
