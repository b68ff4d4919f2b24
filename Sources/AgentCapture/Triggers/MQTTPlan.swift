import Settings

/// Which MQTT messages trigger the shutter.
package struct MQTTPlan: Hashable, Sendable {
    /// The longest topic, in bytes: it is recorded with every capture that it triggers.
    static let longestTopic = 100

    /// The broker (`trigger.mqtt.broker`, such as `localhost`, `broker.local:1883`, `mqtts://broker.local`; empty for
    /// none).
    package var broker: Broker
    /// The topics (`trigger.mqtt.topic`; `+` stands for one level, `#` for all following levels).
    package var topic: String
    /// The required payload (`trigger.mqtt.payload`; default empty, for any).
    package var payload: String
    /// The user name (`trigger.mqtt.user`; default none).
    package var user: String?
    /// The file whose first line is the password (`trigger.mqtt.passwordFile`; default none).
    package var passwordFile: String?

    /// The certificate of an encrypted broker, or of its authority (`trigger.mqtt.authorityFile`, PEM; default none,
    /// for the system's trusted authorities).
    package var authorityFile: String?

    /// The address of a broker.
    package struct Broker: Hashable, Sendable {
        /// A name or an address.
        package var host: String
        /// The port, 1 to 65,535.
        package var port: Int
        /// Whether the connection is encrypted and the broker authenticated.
        package var isEncrypted = false

        /// Parses `host`, `host:port`, `mqtt://host:port` or `mqtts://host:port`; nil for anything else.
        package init?(_ text: String) {
            var rest = text[...]
            for (scheme, isEncrypted) in [("mqtt://", false), ("mqtts://", true)] where rest.hasPrefix(scheme) {
                self.isEncrypted = isEncrypted
                rest = rest.dropFirst(scheme.count)
                break
            }
            if rest.hasSuffix("/") { rest = rest.dropLast() }
            guard let (host, port) = Self.parts(rest), !host.isEmpty, !host.contains(where: Self.isStrange) else {
                return nil
            }
            guard let number = port.map({ Int($0) }) ?? (isEncrypted ? 8883 : 1883), 1...65_535 ~= number else {
                return nil
            }
            self.host = String(host)
            self.port = number
        }

        /// Host and port; an address with colons is in brackets.
        private static func parts(_ text: Substring) -> (host: Substring, port: Substring?)? {
            var host = text
            var rest: Substring = ""
            if text.first == "[" {
                guard let end = text.firstIndex(of: "]") else { return nil }
                host = text[..<end].dropFirst()
                rest = text[end...].dropFirst()
            } else if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                rest = text[colon...]
            }
            guard !rest.isEmpty else { return (host, nil) }
            return rest.first == ":" ? (host, rest.dropFirst()) : nil
        }

        private static func isStrange(_ character: Character) -> Bool {
            character.isWhitespace || "/@?#".contains(character)
        }
    }

    /// Reads the keys below `trigger.mqtt`; nil without a broker.
    static func read(_ reader: inout SettingsReader) throws(SettingsError) -> MQTTPlan? {
        let address = reader.text("trigger.mqtt.broker")
        let topic = reader.text("trigger.mqtt.topic")
        let payload = reader.text("trigger.mqtt.payload")
        let user = reader.text("trigger.mqtt.user")
        let passwordFile = reader.text("trigger.mqtt.passwordFile")
        let authorityFile = reader.text("trigger.mqtt.authorityFile")
        guard let address else { return nil }
        guard let broker = Broker(address) else {
            let ways = "write broker.local, broker.local:1883 or mqtts://broker.local"
            throw SettingsError(.invalidValue, "trigger.mqtt.broker is \"\(address)\": \(ways)")
        }
        guard let topic, isTopicFilter(topic) else {
            let ways =
                "name a topic such as door/bell, or some with + for one level and # at the end for all that follow"
            throw SettingsError(.invalidValue, "trigger.mqtt.topic is \"\(topic ?? "")\": \(ways)")
        }
        guard broker.isEncrypted || passwordFile == nil || isLocal(broker.host) else {
            let reason = "a password would cross the network for all to read: use mqtts://"
            throw SettingsError(.invalidValue, "trigger.mqtt.passwordFile: \(reason)")
        }
        return MQTTPlan(
            broker: broker,
            topic: topic,
            payload: payload ?? "",
            user: user,
            passwordFile: passwordFile,
            authorityFile: authorityFile
        )
    }

    /// Whether it is a valid topic filter (section 4.7 of the standard).
    private static func isTopicFilter(_ text: String) -> Bool {
        guard 1...longestTopic ~= text.utf8.count, !text.contains("\0") else { return false }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        return levels.enumerated().allSatisfy { index, level in
            level == "+" || level == "#" && index == levels.count - 1 || !level.contains { "+#".contains($0) }
        }
    }

    private static func isLocal(_ host: String) -> Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}
