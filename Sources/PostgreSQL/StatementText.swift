/// Translates a statement with SQLite's parameter marks for PostgreSQL: `?` and `?2` become `$1` and `$2`.
///
/// A bare `?` has the number after the highest so far, as in SQLite. Marks within literals, quoted names and comments
/// are left alone.
enum StatementText {
    /// Translates the marks.
    static func numbered(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(mark) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        var highest = 0
        var index = 0
        while index < bytes.count {
            let end = skipped(bytes, from: index)
            if end > index {
                output += bytes[index..<end]
                index = end
            } else if bytes[index] == mark {
                index += 1
                let digits = bytes[index...].prefix { 0x30...0x39 ~= $0 }
                index = digits.endIndex
                let number = Int(String(decoding: digits, as: UTF8.self)) ?? highest + 1
                highest = max(highest, number)
                output += "$\(number)".utf8
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let mark = UInt8(ascii: "?")
    private static let newline = UInt8(ascii: "\n")

    /// The end of the literal, quoted name or comment that begins here; `start` if none does.
    private static func skipped(_ bytes: [UInt8], from start: Int) -> Int {
        let rest = bytes[start...]
        switch bytes[start] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            // A doubled quote ends one literal and begins the next.
            let end = rest.dropFirst().firstIndex(of: bytes[start])
            return end.map { $0 + 1 } ?? bytes.count
        case UInt8(ascii: "-") where rest.starts(with: "--".utf8): return rest.firstIndex(of: newline) ?? bytes.count
        case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
            var end = start + 2
            while end < bytes.count, !bytes[end...].starts(with: "*/".utf8) { end += 1 }
            return min(end + 2, bytes.count)
        default: return start
        }
    }
}
