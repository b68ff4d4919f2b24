import Logging
import PhotoModel

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: time, level, message, then `key=value`.
    case text
    /// For programs: one JSON object per line.
    case json
}

extension LogFormat {
    /// Formats one line, including its line feed.
    ///
    /// Anything that could begin a new line or control a terminal is escaped: messages are ours, but metadata holds
    /// names chosen by strangers.
    func line(
        time: WallTime,
        level: Logger.Level,
        label: String,
        message: String,
        metadata: Logger.Metadata
    ) -> String {
        let sorted = metadata.sorted { $0.key < $1.key }
        switch self {
        case .text:
            let fields = sorted.map { " \($0.key)=\(Self.plain($0.value.description))" }.joined()
            let name = level.rawValue.padding(to: 8)
            return "\(time) \(name) \(Self.escaped(message))\(fields)\n"
        case .json:
            let fixed = [
                ("time", time.description), ("level", level.rawValue), ("label", label), ("message", message),
            ]
            let fields = (fixed + sorted.map { ($0.key, $0.value.description) })
                .map { "\"\(Self.escaped($0))\":\"\(Self.escaped($1))\"" }
            return "{\(fields.joined(separator: ","))}\n"
        }
    }

    /// A single word unchanged, anything else in quotes.
    private static func plain(_ text: String) -> String {
        let needsQuotes =
            text.isEmpty
            || text.unicodeScalars.contains { scalar in
                scalar == "\"" || scalar == "\\" || scalar == "=" || scalar == " " || isUnsafe(scalar)
            }
        return needsQuotes ? "\"\(escaped(text))\"" : text
    }

    /// The inside of a JSON string (RFC 8259, section 7), with terminal controls escaped too.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isUnsafe(scalar):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension String {
    fileprivate func padding(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - self.count))
    }
}
