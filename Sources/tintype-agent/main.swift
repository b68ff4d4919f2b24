import AgentService

await AgentCommand.start()
