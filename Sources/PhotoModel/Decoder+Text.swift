extension Decoder {
    /// Decodes a value that is stored as a single string.
    ///
    /// - Parameters:
    ///   - kind: what the string should be, for example "a UUID".
    ///   - read: reads the string; nil if it is something else.
    /// - Returns: the value.
    /// - Throws: what the decoder throws; `dataCorrupted` with the beginning of the string if it is something else.
    package func value<Value>(fromText kind: String, _ read: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = read(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not \(kind): \(text.prefix(100))"
            )
        }
        return value
    }
}
