import AgentCommands

await AgentCommand.start()
