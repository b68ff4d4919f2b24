extension Decoder {
    /// Decodes a value that is stored as a single string of a kind, for example "a UUID"; reading returns nil if it is
    /// something else.
    ///
    /// - Throws: what the decoder throws; `dataCorrupted` with the beginning of the string if it is something else.
    package func value<Value>(fromText kind: String, _ read: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = read(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not \(kind): \(text.prefix(100))")
        }
        return value
    }

    /// The error of a value that contradicts itself, at the decoder's place.
    package func corruption(_ description: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: description))
    }
}
