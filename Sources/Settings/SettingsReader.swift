import Yams

/// Reads settings from three layers: flags over environment over file.
///
/// A key is dotted in the file and in flags (`server.listen`), and upper-case with underscores in the environment
/// (`TINTYPE_SERVER_LISTEN`). Every read registers its key; ``finish()`` then refuses anything else that was set, so
/// that a typo never silently means a default.
package struct SettingsReader {
    private struct Entry {
        let values: [String]
        let origin: String
    }

    private static let environmentPrefix = "TINTYPE_"
    /// Variables of our other programs: `tintypectl`'s library, the tests' seed.
    private static let namesOfOthers: Set<String> = [
        "TINTYPE_CONFIG", "TINTYPE_CONTEXT", "TINTYPE_SOCKET", "TINTYPE_SEED", "TINTYPE_CASES",
        // Read by the server itself, so that it is never in a settings file.
        "TINTYPE_S3_SECRET_KEY",
    ]
    /// The sections of agent and server: each program ignores variables exported for the other.
    private static let sections: Set<String> = [
        "agent", "capture", "device", "enrollment", "library", "log", "media", "picker", "proxy", "queue", "s3",
        "server", "sync",
    ]
    private static let maximumFileByteCount = 1 << 20

    private var file: [String: Entry] = [:]
    private var environment: [String: Entry] = [:]
    private var flags: [String: Entry] = [:]
    private var known: Set<String> = []

    /// Loads the layers: the file's text, empty for none, the environment's `TINTYPE_…` variables, and `key=value`
    /// flags from the command line.
    ///
    /// - Throws: `fileUnreadable` for text that is not a YAML mapping of strings and lists, `invalidValue` for a
    ///   flag without an equals sign.
    package init(yaml: String, environment: [String: String], flags: [String]) throws(SettingsError) {
        guard yaml.utf8.count <= Self.maximumFileByteCount else {
            throw SettingsError(.fileUnreadable, "the settings file has more than \(Self.maximumFileByteCount) bytes")
        }
        let root: Node?
        do {
            // Every value stays text until it is read; YAML resolves no types.
            root = yaml.isEmpty ? nil : try Yams.compose(yaml: yaml, .basic, Constructor([:], [:], [:]))
        } catch {
            throw SettingsError(.fileUnreadable, "the settings file is not YAML: \(error)")
        }
        if let root { try collect(root, under: "") }
        for (name, value) in environment where name.hasPrefix(Self.environmentPrefix) {
            self.environment[name] = Entry(values: Self.list(value), origin: "environment variable \(name)")
        }
        for flag in flags {
            guard let equals = flag.firstIndex(of: "=") else {
                throw SettingsError(.invalidValue, "--set \(flag): write key=value")
            }
            let key = String(flag[..<equals])
            self.flags[key] = Entry(
                values: Self.list(String(flag[flag.index(after: equals)...])),
                origin: "--set \(key)"
            )
        }
    }

    /// A list of strings; comma-separated in the environment and in flags.
    package mutating func texts(_ key: String, default standard: [String]) -> [String] {
        entry(key)?.values ?? standard
    }

    /// A string.
    package mutating func text(_ key: String, default standard: String) -> String {
        entry(key).map { $0.values.joined(separator: ",") } ?? standard
    }

    /// A string; nil for none or an empty one.
    package mutating func text(_ key: String) -> String? {
        let text = text(key, default: "")
        return text.isEmpty ? nil : text
    }

    /// A Boolean: `true` or `false`.
    ///
    /// - Throws: `invalidValue` for anything else.
    package mutating func flag(_ key: String, default standard: Bool) throws(SettingsError) -> Bool {
        try value(key, default: standard, expected: "true or false") { Bool($0) }
    }

    /// A whole number in a range.
    ///
    /// - Throws: `invalidValue` for anything else.
    package mutating func number(
        _ key: String,
        default standard: Int,
        in range: ClosedRange<Int>
    ) throws(SettingsError) -> Int {
        try value(key, default: standard, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// One of an enumeration's names.
    ///
    /// - Throws: `invalidValue` for anything else.
    package mutating func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ key: String,
        default standard: Value
    ) throws(SettingsError) -> Value {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(key, default: standard, expected: "one of \(names)") { Value(rawValue: $0) }
    }

    /// A value parsed from a text; nil for none or an empty one.
    ///
    /// - Throws: `invalidValue` if `parse` returns nil.
    package mutating func value<Value>(
        _ key: String,
        expected: String,
        parse: (String) -> Value?
    ) throws(SettingsError) -> Value? {
        try value(key, default: nil, expected: "\(expected), or nothing") { text in
            text.isEmpty ? .some(nil) : parse(text).map { .some($0) }
        }
    }

    /// A value parsed from a text.
    ///
    /// - Throws: `invalidValue` if `parse` returns nil.
    package mutating func value<Value>(
        _ key: String,
        default standard: Value,
        expected: String,
        parse: (String) -> Value?
    ) throws(SettingsError) -> Value {
        guard let entry = entry(key) else { return standard }
        let text = entry.values.joined(separator: ",")
        guard let value = parse(text) else {
            throw SettingsError(.invalidValue, "\(key) (\(entry.origin)) is \"\(text)\": write \(expected)")
        }
        return value
    }

    /// Refuses settings that were never read.
    ///
    /// - Throws: `unknownKey`, naming the nearest key that exists.
    package func finish() throws(SettingsError) {
        let names = Dictionary(uniqueKeysWithValues: known.map { (Self.variable($0), $0) })
        let own = Set(known.compactMap { $0.split(separator: ".").first.map(String.init) })
        let foreign = Self.sections.subtracting(own).map { "\(Self.variable($0))_" }
        for (name, entry) in environment.sorted(by: { $0.key < $1.key })
        where names[name] == nil && !Self.namesOfOthers.contains(name) && !foreign.contains(where: name.hasPrefix) {
            let nearest = Self.nearest(to: name, among: names.keys)
            throw SettingsError(.unknownKey, "\(entry.origin) is not a setting; the nearest is \(nearest)")
        }
        for (key, entry) in file.merging(flags, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key })
        where !known.contains(key) {
            let nearest = Self.nearest(to: key, among: known)
            throw SettingsError(.unknownKey, "\(entry.origin): there is no setting \(key); the nearest is \(nearest)")
        }
    }

    private mutating func entry(_ key: String) -> Entry? {
        known.insert(key)
        return flags[key] ?? environment[Self.variable(key)] ?? file[key]
    }

    private mutating func collect(_ node: Node, under prefix: String) throws(SettingsError) {
        let line = node.mark.map { "line \($0.line)" } ?? "settings file"
        switch node {
        case .mapping(let mapping):
            for (key, value) in mapping {
                guard let name = key.scalar?.string else {
                    throw SettingsError(.fileUnreadable, "\(line): a key must be a string")
                }
                try collect(value, under: prefix.isEmpty ? name : "\(prefix).\(name)")
            }
        case .sequence(let sequence):
            let values = sequence.compactMap(\.scalar?.string)
            guard values.count == sequence.count, !prefix.isEmpty else {
                throw SettingsError(.fileUnreadable, "\(line): \(prefix) must be a list of strings")
            }
            file[prefix] = Entry(values: values, origin: line)
        case .scalar(let scalar):
            guard !prefix.isEmpty else {
                throw SettingsError(.fileUnreadable, "\(line): write `key: value`")
            }
            file[prefix] = Entry(values: [scalar.string], origin: line)
        case .alias:
            throw SettingsError(.fileUnreadable, "\(line): aliases are not supported")
        }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: true).map(String.init)
    }

    /// `server.idleTimeoutSeconds` becomes `TINTYPE_SERVER_IDLE_TIMEOUT_SECONDS`.
    private static func variable(_ key: String) -> String {
        var name = environmentPrefix
        for character in key {
            if character == "." {
                name.append("_")
            } else {
                if character.isUppercase { name.append("_") }
                name.append(character.uppercased())
            }
        }
        return name
    }

    private static func nearest(to key: String, among keys: some Collection<String>) -> String {
        keys.min { (distance(key, $0), $0) < (distance(key, $1), $1) } ?? "none"
    }

    /// The Levenshtein distance: how many characters must be inserted, removed or replaced.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (position, character) in left.enumerated() {
            var previous = row[0]
            row[0] = position + 1
            for column in right.indices {
                let replaced = previous + (right[column] == character ? 0 : 1)
                previous = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, previous + 1)
            }
        }
        return row[right.count]
    }
}
