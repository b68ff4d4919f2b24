import LibraryStore
import Logging
import ObjectStorage
import Persistence
import PostgreSQL

extension ServerEnvironment {
    /// The configured places of a library's rows and originals, after checking that the bucket works.
    ///
    /// - Throws: `SettingsError` naming the setting to change, ``ServerError`` if the bucket is unreachable.
    static func place(_ settings: ServerSettings, logger: Logger) async throws -> LibraryPlace {
        var parts: [String] = []
        if case .postgresql(let connections) = settings.metadata {
            parts.append("rows in the \(connections.address), schema \(connections.schema)")
        }
        if case .bucket(let bucket) = settings.originals {
            parts.append("originals in s3://\(bucket.location.bucket)/\(bucket.location.prefix)")
        }
        return LibraryPlace(
            root: Path(settings.libraryPath),
            metadata: try metadata(settings),
            originals: try await originals(settings, logger: logger),
            description: settings.libraryPath + (parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))")
        )
    }
}
