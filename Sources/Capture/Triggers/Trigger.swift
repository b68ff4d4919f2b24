/// What triggered the shutter; recorded with every capture.
package struct Trigger: Hashable, Sendable, Codable {
    /// The kind of trigger.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A request by a person or program: command line, administration button, HTTP.
        case command
        /// A fixed interval.
        case interval
        /// A time of day.
        case calendar
        /// Something moved in the picture.
        case motion
        /// An electrical input.
        case input
        /// A Unix signal.
        case signal
        /// An MQTT message.
        case message
        /// A new file in a watched folder.
        case folder
    }

    /// The kind of trigger.
    package let kind: Kind
    /// Distinguishes several of one kind, for example by the name of a schedule or an input; nil if there is only one.
    package let name: String?

    package init(_ kind: Kind, name: String? = nil) {
        self.kind = kind
        self.name = name
    }

    /// A request by a person or program.
    package static let command = Trigger(.command)
}

extension Trigger: CustomStringConvertible {
    /// The kind, and the name if there is one.
    package var description: String { name.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }
}
