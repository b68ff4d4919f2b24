package import Logging

/// How the servers of one library notify each other.
///
/// A server informs its own requests itself, before it responds. Signals are hints: the next check of the library's row
/// makes up for a lost one, and whatever a signal announces is read from the rows.
package protocol LibrarySignals: Sendable {
    /// Distinguishes this server's closures from others'; nil if no other server can share the library.
    var origin: Int64? { get }

    /// The signals sent and received so far; nil if no other server can share the library.
    var counts: SignalCounts? { get }

    /// Notifies the other servers, soon and without waiting.
    func tell(_ signal: LibrarySignal)

    /// Receives other servers' signals until the task is cancelled; runs once at a time.
    ///
    /// - Parameters:
    ///   - logger: logs lost connections.
    ///   - receive: gets other servers' signals; also gets `changes` and `jobs` whenever some may have been missed.
    func run(_ logger: Logger, _ receive: @escaping @Sendable (LibrarySignal) -> Void) async
}

/// The signals that a server sent and received.
package struct SignalCounts: Hashable, Sendable {
    /// Whether others' notices are received; otherwise the library's row is checked.
    package var isListening = false
    /// Notices sent; each may contain many signals.
    package var sent: Int64 = 0
    /// Notices received.
    package var received: Int64 = 0
    /// Parties whose requests ended because of another server's decision.
    package var closures: Int64 = 0
}
