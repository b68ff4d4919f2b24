/// Why a worker returned no result.
package struct MediaWorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The file's own fault; the worker lives on.
        case refused
        /// The worker died during the work.
        case died
        /// The work took longer than allowed, and the worker was killed.
        case timedOut
        /// The worker violated the protocol, and was killed.
        case protocolBroken
        /// The program could not be started.
        case notStarted
        /// Workers died in a row: the next one starts after a delay.
        case backingOff
        /// The system refused a call unrelated to the file.
        case systemFailed
    }

    /// The kind of failure.
    package let code: Code
    /// What happened.
    package let message: String
    /// The worker's report about the file, with `refused`.
    package let failure: MediaFailure?
    /// When to try again, with `backingOff`.
    package let retryAfter: Duration?

    init(_ code: Code, _ message: String, failure: MediaFailure? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.failure = failure
        self.retryAfter = retryAfter
    }

    /// Whether the file being read is the likely cause of a worker's death.
    package var isFatalToWorker: Bool {
        switch code {
        case .died, .timedOut, .protocolBroken: true
        case .refused, .notStarted, .backingOff, .systemFailed: false
        }
    }

    /// For logs.
    package var description: String { "\(code.rawValue): \(message)" }
}
