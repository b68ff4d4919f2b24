import LibraryAPI
import Logging

/// The signals of a library that only one process opens: there is nobody to notify.
///
/// It still checks for changes that no request made, such as upkeep's, once for all who wait.
struct SoleServerSignals: LibrarySignals {
    /// How often it checks.
    private static let lookInterval = Duration.seconds(5)

    /// Reads the number of the last change.
    let lastChange: @Sendable () async throws -> ChangeNumber

    var origin: Int64? { nil }
    var counts: SignalCounts? { nil }

    func tell(_ signal: LibrarySignal) {}

    func run(_ logger: Logger, _ receive: @escaping @Sendable (LibrarySignal) -> Void) async {
        var known: ChangeNumber?
        while !Task.isCancelled {
            // Whoever needs the database reports that it cannot be read.
            if let last = try? await lastChange() {
                if let known, known != last { receive(.changes) }
                known = last
            }
            try? await Task.sleep(for: Self.lookInterval)
        }
    }
}
