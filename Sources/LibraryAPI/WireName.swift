/// A word on the wire, which is its own raw value.
package protocol WireName: RawRepresentable<String>, LosslessStringConvertible {}

extension WireName {
    /// Parses the word.
    package init?(_ description: String) { self.init(rawValue: description) }

    /// The word.
    package var description: String { rawValue }
}
