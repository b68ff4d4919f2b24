import LibraryStore
import PostgreSQL
import Settings

extension MetadataLocation {
    /// Reads where a library's rows are (`library.metadata`, `library.schema`, `library.connections`, `library.pooling`,
    /// `library.notices`).
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
        let notices = reader.text("library.notices", default: "")
        guard metadata != "sqlite" else {
            self = .folder
            return
        }
        let address = try Self.address(metadata, "library.metadata")
        let hearsNotices = notices != "off"
        let noticeAddress = hearsNotices && !notices.isEmpty ? try Self.address(notices, "library.notices") : nil
        do {
            var settings = try ConnectionSettings(address, schema: schema)
            settings.connectionCount = connectionCount
            settings.keepsSession = keepsSession
            settings.noticeAddress = noticeAddress ?? (hearsNotices && keepsSession ? address : nil)
            self = .postgresql(settings)
        } catch {
            throw SettingsError(.invalidValue, "library.schema: \(error.message)")
        }
    }

    private static func address(_ text: String, _ name: String) throws(SettingsError) -> ServerAddress {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            let word = name == "library.metadata" ? "sqlite" : "off"
            throw SettingsError(
                .invalidValue,
                "\(name): write \(word), or the address of a PostgreSQL database such as postgres://tintype@host/photos"
            )
        }
        do {
            return try ServerAddress(text)
        } catch {
            throw SettingsError(.invalidValue, "\(name): \(error.message)")
        }
    }
}
