import DeviceIdentity
import Foundation
import LibraryStore
import Persistence
import PostgreSQL
import Settings

extension ServerEnvironment {
    private static let passwordCredential = "postgresql-password"

    /// The configured place of the rows, with the password from the service manager's credential.
    ///
    /// Without the credential, libpq uses `PGPASSWORD`, or the file that `PGPASSFILE` names.
    ///
    /// - Throws: `SettingsError` if the credential cannot be read.
    static func metadata(_ settings: ServerSettings) throws -> MetadataLocation {
        guard case .postgresql(var connections) = settings.metadata,
            let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"],
            FileManager.default.fileExists(atPath: "\(folder)/\(passwordCredential)")
        else { return settings.metadata }
        do {
            // The service manager protects its folder; with an access list, the file's mode shows the list's mask.
            let text = try PrivateFile.readPublic("\(folder)/\(passwordCredential)")
            connections.password = text.trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            throw SettingsError(.invalidValue, "library.metadata: the credential \(passwordCredential): \(error)")
        }
        return .postgresql(connections)
    }

    /// Runs `body`, and turns errors about the rows into ones that name the setting to change.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - body: opens the rows.
    /// - Returns: the body's result.
    /// - Throws: `SettingsError` if a restart would not help, ``ServerError`` if the database is unreachable.
    static func namingSettings<Value>(
        _ settings: ServerSettings,
        _ body: () async throws -> Value
    ) async throws -> Value {
        guard case .postgresql(let connections) = settings.metadata else { return try await body() }
        do {
            return try await body()
        } catch let error as PostgreSQLError {
            let place = "\(connections.address)"
            switch error.code {
            case .unavailable, .unknownOutcome, .conflict, .timeout, .noSpace:
                throw ServerError(
                    .databaseAway,
                    "library.metadata: the \(place) cannot be reached (\(error.message)): start it, or correct the address",
                    cause: error
                )
            case .denied:
                throw SettingsError(
                    .invalidValue,
                    "library.metadata: the \(place) refuses this login (\(error.message)): check user, password and database"
                )
            case .untrusted:
                throw SettingsError(
                    .invalidValue,
                    "library.metadata: the \(place) cannot be trusted (\(error.message)): check sslmode and sslrootcert there"
                )
            case .unsuitable, .uniqueViolation, .damaged, .failed:
                throw SettingsError(.invalidValue, "library.metadata: the \(place) cannot be used: \(error.message)")
            }
        } catch let error as DutyError {
            switch error {
            case .foreignAuthority: throw SettingsError(.invalidValue, "library.path: \(error)")
            case .taken: throw ServerError(.libraryTaken, "library.metadata: \(error)")
            }
        } catch let error as PersistenceError where error.object.hasPrefix(MetadataLocation.schemaWord) {
            throw SettingsError(.invalidValue, "library.schema: \(error)")
        } catch let error as PersistenceError where error.object == MetadataLocation.rowsWord {
            throw SettingsError(
                .invalidValue,
                "library.metadata: the \(connections.address) has another library than \(settings.libraryPath): name this "
                    + "library's database and schema, or its folder"
            )
        }
    }
}
