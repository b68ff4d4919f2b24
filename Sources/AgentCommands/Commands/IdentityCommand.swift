import AgentService
import ArgumentParser
import FoundationEssentials
import LibraryAPI
import LibraryClient

struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Renews this box's certificate, or changes its key.",
        subcommands: [IdentityRenewCommand.self, IdentityRotateCommand.self]
    )
}

struct IdentityRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Gets a new certificate for the same key; sync does so automatically after a third of its lifetime."
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        try await agent.upkeep(agent.client()).renew()
        try await agent.wakeService()
        Console.print(common.json ? "{\"renewed\":true}" : "The certificate was renewed.")
    }
}

struct IdentityRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Creates a new key; decisions, queue and history stay. Repeat it if interrupted."
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        try await agent.upkeep(agent.client()).rotate()
        try await agent.wakeService()
        Console.print(common.json ? "{\"rotated\":true}" : "The key was replaced.")
    }
}
