/// Parses the data of server-sent events (WHATWG HTML, section 9.2.6) incrementally.
///
/// It understands only what the agent sends: an event is a block of lines with one data line, which also contains its
/// name.
struct EventStreamReader {
    /// The longest line, in bytes.
    static let lineLimit = 64 << 10

    private static let field = Array("data: ".utf8)
    private var line: [UInt8] = []

    /// Parses a chunk, and returns the data of the events completed by it.
    ///
    /// - Throws: `damaged` for a line beyond the limit.
    mutating func read(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var events: [[UInt8]] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                guard line.count <= Self.lineLimit else { throw PhotoLibraryError(.damaged, "an event is too long") }
                continue
            }
            if line.starts(with: Self.field) { events.append(Array(line.dropFirst(Self.field.count))) }
            line = []
        }
        return events
    }
}
