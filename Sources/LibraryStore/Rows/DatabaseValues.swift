import FoundationEssentials
import LibraryAPI
import PhotoModel

// How model values map to columns. An unreadable row is damage, and reported as such.

extension UniqueIdentifier {
    var blob: Data { Data(bytes) }

    init(blob: Data) throws {
        guard let value = Self(bytes: blob) else { throw RowDamage("an identifier of \(blob.count) bytes") }
        self = value
    }
}

extension DeviceID {
    var blob: Data { AssetID(rawValue: rawValue).blob }

    init(blob: Data) throws { self.init(rawValue: try AssetID(blob: blob).rawValue) }
}

extension ContentDigest {
    var blob: Data { Data(bytes) }

    init(blob: Data) throws {
        guard let value = ContentDigest(bytes: blob) else { throw RowDamage("a digest of \(blob.count) bytes") }
        self = value
    }
}

/// A row that no version of this program writes.
struct RowDamage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// JSON columns: keys sorted, so that equal values have equal bytes.
enum JSONColumn {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ text: String, as _: Value.Type = Value.self) throws -> Value {
        try decode(text.utf8)
    }

    static func decode<Value: Decodable>(_ text: some Collection<UInt8>, as _: Value.Type = Value.self) throws -> Value
    {
        try JSONDecoder().decode(Value.self, from: Data(text))
    }
}
