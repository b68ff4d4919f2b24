package import LibraryAPI

/// Why a call to the library failed, and when to retry it.
package struct LibraryClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: Hashable, Sendable {
        /// There was no response.
        case transport(TransportError.Code)
        /// The library refused; nil for a code that this version does not know.
        case refused(ErrorCode?)
        /// The response does not match the interface.
        case malformedAnswer
    }

    /// The kind of failure.
    package let code: Code
    /// What happened and what to do.
    package let message: String
    /// The library's own problem details, if it responded.
    package let problem: ProblemDetails?

    /// Wraps a missing response.
    package init(_ error: TransportError) {
        code = .transport(error.code)
        message = error.message
        problem = nil
    }

    /// Wraps a refusal.
    package init(_ problem: ProblemDetails) {
        code = .refused(problem.code)
        message = problem.detail.isEmpty ? "\(problem.status) \(problem.title)" : problem.detail
        self.problem = problem
    }

    /// A response that does not match the interface.
    package init(malformed message: String) {
        code = .malformedAnswer
        self.message = message
        problem = nil
    }

    /// When a retry makes sense.
    package var retry: RetryAdvice {
        switch code {
        case .transport(.cancelled): .never
        case .transport: .after
        case .refused: problem?.retry ?? .never
        case .malformedAnswer: .after
        }
    }

    /// What happened and what to do, with the problem's stable name.
    package var description: String {
        switch code {
        case .transport(let code): "\(code.rawValue): \(message)"
        case .refused(let code): code.map { "\($0.rawValue): \(message)" } ?? message
        case .malformedAnswer: "malformed answer: \(message)"
        }
    }
}
