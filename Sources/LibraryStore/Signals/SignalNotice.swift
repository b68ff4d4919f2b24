import LibraryAPI
import PhotoModel

/// The content of another server's notice.
struct SignalNotice: Hashable {
    /// Whether to check the library's row.
    var asksForLook = false
    /// Signals that need no check.
    var signals: [LibrarySignal] = []

    /// Parses a payload; unknown parts are skipped, because a newer server may send them.
    init(_ payload: String) {
        for word in payload.split(separator: " ", maxSplits: SignalOutbox.noticeCount).prefix(SignalOutbox.noticeCount)
        {
            switch word {
            case "look": asksForLook = true
            case "jobs": signals.append(.jobs)
            default: if let upload = Self.upload(word) { signals.append(upload) }
            }
        }
    }

    private static func upload(_ word: Substring) -> LibrarySignal? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "upload", let id = UploadID(String(parts[1])), let turn = Int64(parts[2]),
            turn > 0
        else { return nil }
        return .upload(id, turn: turn)
    }
}
