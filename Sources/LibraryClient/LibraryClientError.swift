package import LibraryAPI

/// Why a call to the library did not succeed, and when to make it again.
package struct LibraryClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: Hashable, Sendable {
        /// There is no answer.
        case transport(TransportError.Code)
        /// The library refused; nil for a refusal that this version does not know.
        case refused(ErrorCode?)
        /// The answer is not what the interface says.
        case malformedAnswer
    }

    /// The kind of failure.
    package let code: Code
    /// What happened and what to do.
    package let message: String
    /// The library's own words, where it answered.
    package let problem: ProblemDetails?

    /// Makes an error of a missing answer.
    package init(_ error: TransportError) {
        code = .transport(error.code)
        message = error.message
        problem = nil
    }

    /// Makes an error of a refusal.
    package init(_ problem: ProblemDetails) {
        code = .refused(problem.code)
        message = problem.detail.isEmpty ? "\(problem.status) \(problem.title)" : problem.detail
        self.problem = problem
    }

    /// An answer that is not what the interface says.
    package init(malformed message: String) {
        code = .malformedAnswer
        self.message = message
        problem = nil
    }

    /// When the same call makes sense again.
    package var retry: RetryAdvice {
        switch code {
        case .transport(.cancelled): .never
        case .transport: .after
        case .refused: problem?.retry ?? .never
        case .malformedAnswer: .after
        }
    }

    /// What happened and what to do, with the stable name of the problem.
    package var description: String {
        switch code {
        case .transport(let code): "\(code.rawValue): \(message)"
        case .refused(let code): code.map { "\($0.rawValue): \(message)" } ?? message
        case .malformedAnswer: "malformed answer: \(message)"
        }
    }
}
