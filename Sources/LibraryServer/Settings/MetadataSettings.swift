import LibraryStore
import PostgreSQL
import Settings

extension MetadataLocation {
    /// Reads where a library's rows are (`library.metadata`, `library.schema`, `library.connections`, `library.pooling`).
    ///
    /// - Throws: `invalidValue` naming the setting, and never the address, which may contain a password.
    init(from reader: inout SettingsReader) throws(SettingsError) {
        let metadata = reader.text("library.metadata", default: "sqlite")
        let schema = reader.text("library.schema", default: "tintype")
        let connectionCount = try reader.number("library.connections", default: 8, in: 2...100)
        let keepsSession = try reader.value(
            "library.pooling",
            default: true,
            expected: "session or transaction",
            parse: { ["session": true, "transaction": false][$0] }
        )
        guard metadata != "sqlite" else {
            self = .folder
            return
        }
        guard metadata.hasPrefix("postgres://") || metadata.hasPrefix("postgresql://") else {
            throw SettingsError(
                .invalidValue,
                "library.metadata: write sqlite, or the address of a PostgreSQL database such as postgres://tintype@host/photos"
            )
        }
        let address: ServerAddress
        do {
            address = try ServerAddress(metadata)
        } catch {
            throw SettingsError(.invalidValue, "library.metadata: \(error.message)")
        }
        do {
            var settings = try ConnectionSettings(address, schema: schema)
            settings.connectionCount = connectionCount
            settings.keepsSession = keepsSession
            self = .postgresql(settings)
        } catch {
            throw SettingsError(.invalidValue, "library.schema: \(error.message)")
        }
    }
}
