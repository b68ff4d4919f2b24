import Synchronization

/// The texts of lists whose statements are kept prepared: only the first of the many forms of filters.
///
/// Without a limit, a caller that uses ever new filters would fill the memory of every connection with statements.
final class KeptTexts: Sendable {
    private let maximumCount: Int
    private let texts = Mutex<Set<String>>([])

    init(maximumCount: Int = 256) { self.maximumCount = maximumCount }

    /// Whether a text's statement is kept.
    func keep(_ text: String) -> Bool {
        texts.withLock { texts in
            guard !texts.contains(text) else { return true }
            guard texts.count < maximumCount else { return false }
            texts.insert(text)
            return true
        }
    }

    /// The statement of a text, which is prepared once if it is kept.
    func statement(_ text: String, _ database: any SQLSession) throws -> any SQLStatement {
        try keep(text) ? database.statement(text) : database.temporaryStatement(text)
    }
}
