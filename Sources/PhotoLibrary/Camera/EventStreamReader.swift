/// Reads the data of server-sent events (WHATWG HTML, section 9.2.6) out of the pieces in which they arrive.
///
/// Only what the agent sends is understood: an event is a block of lines, its data one line, and its name is in the data too.
struct EventStreamReader {
    /// The longest line, in bytes.
    static let lineLimit = 64 << 10

    private static let field = Array("data: ".utf8)
    private var line: [UInt8] = []

    /// Takes a piece, and gives the data of the events that it ends.
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
