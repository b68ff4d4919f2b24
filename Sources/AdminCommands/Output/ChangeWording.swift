import FoundationEssentials

/// Describes an audit entry's change for people: only the differences between two records.
///
/// Entries hold texts or whole JSON records, before and after. Their essence is `state: pending → active`.
struct ChangeWording {
    /// A record's values by their paths, such as `decision.addOnly`.
    private struct Fields: Decodable {
        /// Our records are shallow; anything deeper is not one.
        private static let maximumDepth = 8

        private struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        private(set) var values: [String: String] = [:]

        init(from decoder: any Decoder) throws {
            // Only an object is a record.
            _ = try decoder.container(keyedBy: Key.self)
            try read(decoder, at: [])
        }

        private init(nested decoder: any Decoder, at path: [String]) throws { try read(decoder, at: path) }

        private mutating func read(_ decoder: any Decoder, at path: [String]) throws {
            guard path.count <= Self.maximumDepth else { return }
            let name = path.joined(separator: ".")
            if let container = try? decoder.container(keyedBy: Key.self) {
                let keys = container.allKeys
                if let only = keys.first, keys.count == 1, Self.isEmpty(try container.superDecoder(forKey: only)) {
                    // A case without values, as enumerations are encoded.
                    values[name] = only.stringValue
                    return
                }
                for key in keys { try read(container.superDecoder(forKey: key), at: path + [key.stringValue]) }
            } else if var container = try? decoder.unkeyedContainer() {
                var items: [String] = []
                while !container.isAtEnd {
                    let item = try Fields(nested: container.superDecoder(), at: [])
                    items.append(item.values.sorted { $0.key < $1.key }.map(\.value).joined(separator: " "))
                }
                values[name] = items.isEmpty ? nil : items.joined(separator: ", ")
            } else if let container = try? decoder.singleValueContainer() {
                values[name] = Self.text(container)
            }
        }

        private static func isEmpty(_ decoder: any Decoder) -> Bool {
            (try? decoder.container(keyedBy: Key.self))?.allKeys.isEmpty ?? false
        }

        private static func text(_ container: any SingleValueDecodingContainer) -> String? {
            if let flag = try? container.decode(Bool.self) { return flag ? "yes" : "no" }
            if let number = try? container.decode(Int64.self) { return "\(number)" }
            if let number = try? container.decode(Double.self) { return "\(number)" }
            return try? container.decode(String.self)
        }
    }

    /// Who, when and why have columns of their own, and counters are uninteresting.
    private static let left: Set<String> = ["changedAt", "changedBy", "reason", "grantVersion", "device"]

    let text: String

    /// Compares old and new.
    init(old: String?, new: String?) {
        guard let after = Self.fields(new) else {
            text = [old, new].compactMap(\.self).joined(separator: " → ")
            return
        }
        let before = Self.fields(old) ?? [:]
        let paths = Set(before.keys).union(after.keys).filter { path in
            before[path] != after[path] && !Self.left.contains(String(path.prefix { $0 != "." }))
        }
        text = paths.sorted().map { path in
            let name = path.split(separator: ".").suffix(2).joined(separator: ".")
            guard let was = before[path] else { return "\(name): \(after[path] ?? "none")" }
            return "\(name): \(was) → \(after[path] ?? "none")"
        }.joined(separator: ", ")
    }

    private static func fields(_ text: String?) -> [String: String]? {
        guard let text, text.hasPrefix("{") else { return nil }
        return try? JSONDecoder().decode(Fields.self, from: Data(text.utf8)).values
    }
}
