import PhotoModel
package import RawStructuredFieldValues

/// Structured fields (RFC 9651) as the library's header fields hold them: parameters are dropped, and a field that does
/// not parse counts as absent.
package enum StructuredField {
    /// Reads an Item.
    ///
    /// - Returns: the bare item; nil unless the whole value is one Item.
    package static func item(_ text: String) -> RFC9651BareItem? {
        var parser = StructuredFieldValueParser(Array(text.utf8))
        return try? parser.parseItemFieldValue().rfc9651BareItem
    }

    /// Reads a Dictionary.
    ///
    /// The last member of a repeated key counts (section 4.2.2).
    ///
    /// - Parameter text: the field's value, several fields of one name joined by commas.
    /// - Returns: the members that are items; nil unless the whole value is one Dictionary.
    package static func dictionary(_ text: String) -> [String: RFC9651BareItem]? {
        var parser = StructuredFieldValueParser(Array(text.utf8))
        guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
        var items: [String: RFC9651BareItem] = [:]
        for case (let key, .item(let item)) in members { items[key] = item.rfc9651BareItem }
        return items
    }

    /// Writes a Boolean.
    package static func text(_ flag: Bool) -> String { flag ? "?1" : "?0" }

    /// Writes a Byte Sequence.
    package static func text(_ bytes: [UInt8]) -> String { ":\(Base64.encode(bytes)):" }
}
