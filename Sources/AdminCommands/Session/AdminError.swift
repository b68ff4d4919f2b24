import LibraryAPI
import LibraryClient

/// The exit statuses, numbered as in sysexits.h.
package enum AdminExit: Int32, CaseIterable, Sendable {
    /// Done.
    case done = 0
    /// It failed, or a check found a problem.
    case failed = 1
    /// The command line is wrong.
    case usage = 64
    /// The library's server does not respond.
    case unreachable = 69
    /// The library does not allow it.
    case notAllowed = 77
}

/// Why a command failed, and what to do next.
struct AdminError: Error, Hashable {
    let exit: AdminExit
    /// What happened, and to what.
    let message: String
    /// The command or action that helps.
    let next: String
    /// The library's refusal, if any.
    private(set) var problem: ProblemDetails?

    init(_ exit: AdminExit, _ message: String, next: String) {
        self.exit = exit
        self.message = message
        self.next = next
    }

    /// Describes a failed call.
    init(_ error: LibraryClientError) {
        message = error.message
        problem = error.problem
        switch error.code {
        case .transport(.untrusted):
            exit = .unreachable
            next =
                "compare the context's server and certificate: tintypectl context list; an operator of the server "
                + "issues a new one with tintypectl operator add"
        case .transport(.unreachable), .transport(.timedOut), .transport(.interrupted):
            exit = .unreachable
            next = "start tintype-server serve, or name it with --socket or --context (tintypectl context list)"
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
                ? "run it over the server's own socket, or ask its operator for a certificate: tintypectl operator add"
                : "fix what the message names; --help shows examples"
        case .malformedAnswer:
            exit = .failed
            next = "compare tintypectl --version with the server's: they are incompatible"
        }
    }
}

extension AdminError {
    /// The refusal in full: its stable name, whether a retry helps, and who can change it.
    var explanation: String {
        guard let problem else { return "the library was not reached: nothing was refused" }
        let advice =
            switch problem.retry {
            case .now: "the same command again can work at once"
            case .after: "the same command can work later" + (problem.retryAfterSeconds.map { ", in \($0) s" } ?? "")
            case .onDecision: "it changes when an operator decides otherwise"
            case .never: "the same command will be refused again"
            }
        var parts = ["\(problem.code?.rawValue ?? problem.type) (status \(problem.status)): \(advice)"]
        if let field = problem.field { parts.append("it is about “\(field)”") }
        if let instance = problem.instance { parts.append("the server's log calls the request \(instance)") }
        return parts.joined(separator: "; ")
    }

    /// A plain failure.
    init(_ message: String, next: String) { self.init(.failed, message, next: next) }
}
