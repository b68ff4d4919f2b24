package import AgentStore

/// Why a command of the agent fails.
package struct AgentError: Error, CustomStringConvertible {
    /// The exit status.
    package let exit: AgentExit
    /// What happened and what to do next.
    package let description: String
    /// Whether another agent has the queue open, possibly just briefly.
    package let isLocked: Bool

    package init(_ exit: AgentExit, _ description: String, isLocked: Bool = false) {
        self.exit = exit
        self.description = description
        self.isLocked = isLocked
    }
}

/// The agent's exit statuses; 64 and above follow `sysexits.h`.
package enum AgentExit: Int32, CaseIterable, Sendable {
    /// Everything requested was done, or there was nothing to do.
    case done = 0
    /// It failed; the error says why.
    case failed = 1
    /// A sync sent a part; try again later.
    case partly = 3
    /// Held: something waits for a decision, an hour, a link or room.
    case held = 4
    /// A person chose nothing, or not in time.
    case nothingChosen = 5
    /// The command line is wrong.
    case usage = 64
    /// The library cannot be reached, or is not the pinned one.
    case unreachable = 69
    /// There is no room for captures.
    case full = 73
    /// The library does not let this device do it.
    case notAllowed = 77
    /// A setting is missing or wrong; the error names its key.
    case configuration = 78
    /// A person or the system interrupted it (SIGINT, SIGTERM); completed work is kept.
    case interrupted = 130
}

extension AgentExit {
    /// The exit status of the queue's errors.
    package init(_ error: AgentStoreError) {
        switch error.code {
        case .full: self = .full
        case .draining: self = .notAllowed
        default: self = .failed
        }
    }
}
