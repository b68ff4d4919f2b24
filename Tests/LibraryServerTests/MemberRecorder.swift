import PhotoModel

/// The members that a type asks a decoder for, with those of its members' types, as `status.build`.
///
/// Everything that is asked for is there, so that every question is put: numbers are 0, lists have one element, and a
/// value is made of the first text that its type takes. What is optional and takes none of them is missing.
final class MemberRecorder {
    /// One text for each type that does not take them all: forms first, then a name of each closed set of names.
    fileprivate static let texts = [
        "2026-01-02T03:04:05Z", "2026-01-02T03:04:05", "00000000-0000-0000-0000-000000000000",
        DeviceID(rawValue: 1).description,
        String(repeating: "0", count: 2 * ContentDigest.byteCount),
        "full", "inserted", "pending", "open", "waiting", "location", "images", "automatic", "enrol", "collect",
        "running",
    ]

    /// Every member.
    private(set) var members: Set<String> = []
    /// Members without which the type cannot be read.
    private(set) var required: Set<String> = []

    /// Reads one value of a type.
    ///
    /// - Throws: ``Unreadable`` where a member takes no text: a new one is needed.
    init(of type: any Decodable.Type) throws {
        _ = try value(type, at: "")
    }

    /// Why there is no value for a member.
    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        let type: String

        var description: String { "no text makes a \(type) for “\(path)”: add one to MemberRecorder" }
    }

    /// Notes a member; that it may be missing is asked before it is read.
    fileprivate func note(_ path: String, isRequired: Bool) {
        if members.insert(path).inserted, isRequired { required.insert(path) }
    }

    fileprivate func value<Value: Decodable>(_ type: Value.Type, at path: String) throws -> Value {
        for text in Self.texts {
            do {
                return try Value(from: RecordingDecoder(recorder: self, path: path, text: text))
            } catch let error as Unreadable {
                // Further in, every text was offered.
                throw error
            } catch {
                continue
            }
        }
        throw Unreadable(path: path, type: "\(type)")
    }
}

/// Reads one value, for which a text stands wherever one is asked for.
private struct RecordingDecoder: Decoder, SingleValueDecodingContainer {
    let recorder: MemberRecorder
    let path: String
    let text: String

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordedMembers<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { RecordedElements(decoder: self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let plain: [any Sendable] = [text, false, 0, Int64(0), UInt(0), UInt64(0), 0.0]
        for case let value as Value in plain { return value }
        throw MemberRecorder.Unreadable(path: path, type: "\(type)")
    }
}

/// An object that has every member.
private struct RecordedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordingDecoder

    var codingPath: [any CodingKey] { [] }

    /// Which one of several forms an object has: the one that a text names; where any name would do, there is none.
    var allKeys: [Key] {
        let keys = MemberRecorder.texts.compactMap { Key(stringValue: $0) }
        return keys.count == 1 ? keys : []
    }

    func contains(_ key: Key) -> Bool {
        decoder.recorder.note(path(key), isRequired: false)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        decoder.recorder.note(path(key), isRequired: true)
        return try decoder.recorder.value(type, at: path(key))
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        decoder.recorder.note(path(key), isRequired: false)
        return try? decoder.recorder.value(type, at: path(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        KeyedDecodingContainer(RecordedMembers<NestedKey>(decoder: below(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        RecordedElements(decoder: below(key))
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { below(key) }

    private func path(_ key: Key) -> String {
        decoder.path.isEmpty ? key.stringValue : "\(decoder.path).\(key.stringValue)"
    }

    private func below(_ key: Key) -> RecordingDecoder {
        RecordingDecoder(recorder: decoder.recorder, path: path(key), text: decoder.text)
    }
}

/// A list of one element, whose members count as the list's.
private struct RecordedElements: UnkeyedDecodingContainer {
    let decoder: RecordingDecoder
    var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        return try decoder.recorder.value(type, at: decoder.path)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        currentIndex += 1
        return KeyedDecodingContainer(RecordedMembers<NestedKey>(decoder: decoder))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return RecordedElements(decoder: decoder)
    }

    mutating func superDecoder() throws -> any Decoder { decoder }
}
