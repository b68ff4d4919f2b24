/// What made the shutter fall; recorded with every capture.
package struct Trigger: Hashable, Sendable, Codable {
    /// The kind of cause.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A person or program asked: command line, button in the administration, HTTP.
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
        /// A message of an MQTT broker.
        case message
        /// A file that appeared in a watched folder.
        case folder
    }

    /// The kind of cause.
    package let kind: Kind
    /// Which of several of this kind, for example the name of a schedule or an input; nil when there is one.
    package let name: String?

    /// Names a cause.
    package init(_ kind: Kind, name: String? = nil) {
        self.kind = kind
        self.name = name
    }

    /// A person or program asked.
    package static let command = Trigger(.command)
}

extension Trigger: CustomStringConvertible {
    /// The kind, and the name where there is one.
    package var description: String { name.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }
}
