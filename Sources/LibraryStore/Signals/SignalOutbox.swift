import LibraryAPI
import PhotoModel

/// Signals waiting for the next notices to the other servers.
///
/// A notice's payload is words separated by spaces: `look` (check the library's row for changes and closures), `jobs`,
/// and `upload:<identifier>:<turn>`. Repeated words count once.
struct SignalOutbox {
    /// The most waiting words; further uploads' are dropped, because their turns are checked in the row anyway.
    static let maximumCount = 4096
    /// The most words in one notice, far below PostgreSQL's 7,999 bytes.
    static let noticeCount = 100

    private var words: [String] = []
    private var known: Set<String> = []

    mutating func add(_ signal: LibrarySignal) {
        let word =
            switch signal {
            case .changes, .closure: "look"
            case .jobs: "jobs"
            case .upload(let id, let turn): "upload:\(id):\(turn)"
            }
        guard words.count < Self.maximumCount, known.insert(word).inserted else { return }
        words.append(word)
    }

    /// Takes the payload of the next notice; nil if nothing is waiting.
    mutating func next() -> String? {
        guard !words.isEmpty else { return nil }
        let taken = words.prefix(Self.noticeCount)
        words.removeFirst(taken.count)
        known.subtract(taken)
        return taken.joined(separator: " ")
    }
}
