import Foundation
import LibraryStore

/// A document that the server stores as JSON in a record.
protocol StoredDocument: Codable, Sendable {
    static var kind: RecordKind { get }
}

extension StoredDocument {
    /// Decodes a record's document.
    init(_ record: StoredRecord) throws { self = try JSONDecoder().decode(Self.self, from: Data(record.document.utf8)) }

    /// The record's text.
    func text() throws -> String { String(decoding: try JSONEncoder.sorted.encode(self), as: UTF8.self) }
}
