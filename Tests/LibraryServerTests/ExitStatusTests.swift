import LibraryStore
import Settings
import Testing

@testable import LibraryServer

/// What the service manager acts on: it does not start again what ended with 78.
struct ExitStatusTests {
    private static let failures: [(any Error & Sendable, String)] = [
        (SettingsError(.invalidValue, "s3.region: \"mars-1\" is not the bucket's region: set its region"), "78"),
        (ForeignBucketError.anotherLibrary, "78"),
        (ServerError(.databaseAway, "library.metadata: the database cannot be reached: start it"), "69"),
        (ServerError(.storeAway, "s3.endpoint: the store cannot be reached: start it"), "69"),
        (ServerError(.libraryTaken, "library.metadata: the server on photos-1 has the library: stop that one"), "69"),
        (ServerError(.libraryMissing, "there is no library: run tintype-server init"), "1"),
    ]

    @Test("a wrong setting ends a command with 78, a database or store that is away with 69, so that it is tried again")
    func statuses() async throws {
        for (failure, status) in Self.failures {
            let error = await #expect(throws: (any Error).self) {
                try await ServerCommand().reporting { throw failure }
            }
            #expect(error.map { "\($0)" } == "ExitCode(rawValue: \(status))", "\(failure)")
        }
    }
}
