import Foundation
import LibraryStore

/// What the server keeps as JSON in a record of the store.
protocol StoredDocument: Codable, Sendable {
    /// The kind of record that holds it.
    static var kind: RecordKind { get }
}

extension StoredDocument {
    /// Reads the document of a record.
    init(_ record: StoredRecord) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(record.document.utf8))
    }

    /// The text that a record holds.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
