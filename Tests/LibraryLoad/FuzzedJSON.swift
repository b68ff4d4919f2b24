import TestSupport

/// JSON whose numbers are kept as text, so that also those are sent that no type of a program holds.
indirect enum FuzzedJSON: Decodable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([FuzzedJSON])
    case object([String: FuzzedJSON])

    /// Numbers at which arithmetic, formats and limits end.
    static let numbers = [
        "-9223372036854775808", "-1", "0", "1", "2147483648", "9007199254740993", "9223372036854775807",
        "18446744073709551615", "1e400", "0.5", "-0", "4294967297",
    ]
    /// Texts that mean something to a file system, a database, a terminal, a page or a header.
    static let texts = [
        "", "\u{0}", "../../etc/passwd", "\u{1B}[2J", "<script>", "'; DROP TABLE asset; --", "\r\nX-A: b",
        "\u{202E}gpj",
        "=1+1", "%00", "null", "9223372036854775807", String(repeating: "a", count: 70_000),
        String(repeating: "\u{1F4F7}", count: 300),
    ]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number("\(value)")
        } else if let value = try? container.decode(Double.self) {
            self = .number("\(value)")
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([FuzzedJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: FuzzedJSON].self))
        }
    }

    /// As it is sent.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let digits): digits
        case .string(let text): Self.quoted(text)
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.text)" }
                .joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case _ where scalar.value < 0x20:
                "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// The same with placeholders, strings that begin with `$`, filled in.
    func filled(_ value: (String) -> String) -> FuzzedJSON {
        switch self {
        case .string(let text) where text.hasPrefix("$"): .string(value(String(text.dropFirst())))
        case .array(let items): .array(items.map { $0.filled(value) })
        case .object(let members): .object(members.mapValues { $0.filled(value) })
        default: self
        }
    }

    /// Changes one place.
    mutating func mutate(_ generator: inout SeededGenerator) {
        switch self {
        case .array(var items) where !items.isEmpty && !generator.oneIn(5):
            let index = generator.below(items.count)
            switch generator.below(6) {
            case 0: items.remove(at: index)
            case 1: items += Array(repeating: items[index], count: 1 << generator.below(12))
            default: items[index].mutate(&generator)
            }
            self = .array(items)
        case .object(var members) where !members.isEmpty && !generator.oneIn(8):
            let key = generator.pick(members.keys.sorted())
            switch generator.below(10) {
            case 0: members[key] = nil
            case 1: members[generator.pick(Self.texts)] = members[key]
            default: members[key]?.mutate(&generator)
            }
            self = .object(members)
        default: self = Self.leaf(&generator)
        }
    }

    private static func leaf(_ generator: inout SeededGenerator) -> FuzzedJSON {
        switch generator.below(8) {
        case 0: .null
        case 1: .bool(generator.oneIn(2))
        case 2: .array([])
        case 3: .object([:])
        case 4, 5: .number(generator.pick(numbers))
        default: .string(generator.pick(texts))
        }
    }
}
