import AgentCommands
import Glibc

// Files of the agent are accessible to its user only, however it was started.
umask(0o077)
await AgentCommand.start()
