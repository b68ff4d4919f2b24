package import Logging

/// How the servers of one library tell each other what happened.
///
/// A server tells its own requests by itself, before it responds. Signals are hints: a lost one is made up for by the next
/// look at the library's row, and whatever it announces is read from the rows.
package protocol LibrarySignals: Sendable {
    /// Distinguishes this server's closures from others'; nil if no other server can share the library.
    var origin: Int64? { get }

    /// What was told and heard so far; nil if no other server can share the library.
    var counts: SignalCounts? { get }

    /// Tells the other servers, soon and without waiting.
    func tell(_ signal: LibrarySignal)

    /// Hears the other servers until the task is cancelled; runs once at a time.
    ///
    /// - Parameters:
    ///   - logger: for connections that are lost.
    ///   - receive: gets what others did; also gets `changes` and `jobs` whenever some may have been missed.
    func run(_ logger: Logger, _ receive: @escaping @Sendable (LibrarySignal) -> Void) async
}

/// What a server told and heard.
package struct SignalCounts: Hashable, Sendable {
    /// Whether others' notices are heard; otherwise the library's row is looked at.
    package var isListening = false
    /// Notices sent; each may hold many signals.
    package var sent: Int64 = 0
    /// Notices received.
    package var received: Int64 = 0
    /// Parties whose requests ended because another server decided so.
    package var closures: Int64 = 0

    /// Nothing told, nothing heard.
    package init() {}
}
