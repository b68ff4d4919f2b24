/// An enumeration whose raw values are its names on the wire.
package protocol WireName: RawRepresentable<String>, LosslessStringConvertible {}

extension WireName {
    /// Parses the word.
    package init?(_ description: String) { self.init(rawValue: description) }

    /// The word.
    package var description: String { rawValue }
}
