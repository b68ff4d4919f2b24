import LibraryAPI
import LibraryClient

/// How a command ended; the numbers are those of sysexits.h.
package enum AdminExit: Int32, CaseIterable, Sendable {
    /// Done.
    case done = 0
    /// It failed, or what was checked is not as it should be.
    case failed = 1
    /// The command line is wrong.
    case usage = 64
    /// The library's server does not answer.
    case unreachable = 69
    /// The library does not allow it.
    case notAllowed = 77
}

/// Why a command failed, and what to do next.
struct AdminError: Error, Hashable {
    /// How the process ends.
    let exit: AdminExit
    /// What happened, about what.
    let message: String
    /// The command, or the act, that helps.
    let next: String

    init(_ exit: AdminExit, _ message: String, next: String) {
        self.exit = exit
        self.message = message
        self.next = next
    }

    /// What a failed call means to the caller.
    init(_ error: LibraryClientError) {
        message = error.message
        switch error.code {
        case .transport(.unreachable), .transport(.timedOut), .transport(.interrupted), .transport(.untrusted):
            exit = .unreachable
            next = "start tintype-server serve, or name its socket with --socket or TINTYPE_SOCKET"
        case .transport:
            exit = .failed
            next = "run the command again"
        case .refused(.notFound):
            exit = .failed
            next = "tintypectl device list, tintypectl asset list or tintypectl album list show what there is"
        case .refused:
            let isForbidden = error.problem?.status == 401 || error.problem?.status == 403
            exit = isForbidden ? .notAllowed : .failed
            next =
                isForbidden
                ? "run it as the user of tintype-server, over its own socket"
                : "mend what the message names; --help shows examples"
        case .malformedAnswer:
            exit = .failed
            next = "compare tintypectl --version with the server's: the two do not fit"
        }
    }
}

extension AdminError {
    /// A plain failure.
    init(_ message: String, next: String) {
        self.init(.failed, message, next: next)
    }
}
