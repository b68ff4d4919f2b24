import LibraryAPI
import PhotoModel

/// What the other servers are to be told with the next notices.
///
/// A notice's payload is words with spaces between them: `look` (at the library's row, for changes and closures), `jobs`, and
/// `upload:<identifier>:<turn>`. Repeated words count once.
struct SignalOutbox {
    /// Words that wait at most; further uploads' are dropped, because their turns are checked in the row anyway.
    static let maximumCount = 4096
    /// Words of one notice, far below PostgreSQL's 7,999 bytes.
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

    /// Takes the payload of the next notice; nil if there is nothing to tell.
    mutating func next() -> String? {
        guard !words.isEmpty else { return nil }
        let taken = words.prefix(Self.noticeCount)
        words.removeFirst(taken.count)
        known.subtract(taken)
        return taken.joined(separator: " ")
    }
}
