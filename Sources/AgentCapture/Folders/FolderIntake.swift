import Capture
import PhotoModel

/// Decides when files of a watched folder are complete, and which belong together; accesses nothing itself.
///
/// A file is complete when the kernel reported that its writer closed it or that it was moved in, or when it has not
/// changed for the settling time. Files that share a name except for the extension are taken together once all are
/// complete; a file without a partner waits for one for the settling time, since a Live Photo's still and movie arrive
/// one after the other.
struct FolderIntake {
    /// A file as seen: another size or time makes it another file.
    struct Mark: Hashable, Sendable {
        /// Its name, by whose bytes it is one file or another.
        let file: FileName
        let byteCount: Int64
        let modified: WallTime

        /// The name for people.
        var name: String { file.displayText }
    }

    /// Extensions that browsers and transfer programs give to unfinished files.
    private static let temporaryEndings: Set = ["part", "tmp", "partial", "filepart", "crdownload", "swp"]

    private struct Candidate {
        var mark: Mark
        var unchangedSince: MonotonicTime
        var completeSince: MonotonicTime?
    }

    private let settleTime: Duration
    private var candidates: [FileName: Candidate] = [:]
    private var taken: Set<Mark>
    /// Taken files that could not be imported, and when to try again.
    private var refused: [(marks: [Mark], until: MonotonicTime)] = []

    /// Takes the settling time; files marked as taken are not taken again.
    init(settleTime: Duration, taken: Set<Mark>) {
        self.settleTime = settleTime
        self.taken = taken
    }

    /// Examines all files of the folder, and the names of those closed after writing since the last call; files that are
    /// gone are forgotten.
    mutating func observe(_ files: [Mark], closed: Set<String>, at now: MonotonicTime) {
        tryAgain(files, at: now)
        taken.formIntersection(files)
        var seen: [FileName: Candidate] = [:]
        for file in files where Self.isWanted(file.name) && !taken.contains(file) {
            var candidate = candidates[file.file] ?? Candidate(mark: file, unchangedSince: now)
            if candidate.mark != file {
                candidate = Candidate(mark: file, unchangedSince: now)
            }
            if closed.contains(file.name) { candidate.completeSince = candidate.completeSince ?? now }
            if now.duration(since: candidate.unchangedSince) >= settleTime {
                candidate.completeSince = candidate.completeSince ?? now
            }
            seen[file.file] = candidate
        }
        candidates = seen
    }

    /// The groups of files that belong together and are ready to be taken, ordered by name; each is returned once,
    /// unless passed to ``giveBack(_:until:)``.
    mutating func ready(at now: MonotonicTime) -> [[Mark]] {
        var groups: [[Mark]] = []
        for members in candidateGroups {
            let times = members.compactMap(\.completeSince)
            guard times.count == members.count, let last = times.max() else { continue }
            guard members.count > 1 || now.duration(since: last) >= settleTime || isSettled(members[0], now) else {
                continue
            }
            groups.append(members.map(\.mark).sorted { $0.name < $1.name })
        }
        for mark in groups.joined() {
            taken.insert(mark)
            candidates[mark.file] = nil
        }
        return groups.sorted { $0[0].name < $1[0].name }
    }

    /// Returns files that could not be imported now, to be tried again at some time, or once one of them changes or a
    /// partner comes.
    mutating func giveBack(_ marks: [Mark], until time: MonotonicTime) {
        refused.append((marks, time))
    }

    /// Gives files that could not be imported another chance if it is time, or if a file has come that belongs to them:
    /// a Live Photo's movie without its still would become an asset of its own.
    private mutating func tryAgain(_ files: [Mark], at now: MonotonicTime) {
        guard !refused.isEmpty else { return }
        let new = Set(files.filter { !taken.contains($0) && Self.isWanted($0.name) }.map(\.file.stem))
        func isDue(_ group: (marks: [Mark], until: MonotonicTime)) -> Bool {
            group.until <= now || group.marks.contains { new.contains($0.file.stem) }
        }
        taken.subtract(refused.filter(isDue).flatMap(\.marks))
        refused.removeAll(where: isDue)
    }

    /// When something may become ready without any change; nil if nothing is pending.
    func nextDeadline() -> MonotonicTime? {
        let deadlines = candidateGroups.flatMap { members in
            // A complete file waits for its partner, whose deadline applies: its own may be long past.
            let growing = members.filter { $0.completeSince == nil }
            return (growing.isEmpty ? members : growing).map { $0.completeSince ?? $0.unchangedSince }
        }
        return deadlines.min()?.advanced(by: settleTime)
    }

    /// Files that may belong together, by name.
    private var candidateGroups: [[Candidate]] {
        Array(Dictionary(grouping: candidates.values) { Array($0.mark.file.stem) }.values)
    }

    private func isSettled(_ candidate: Candidate, _ now: MonotonicTime) -> Bool {
        now.duration(since: candidate.unchangedSince) >= settleTime
    }

    private static func isWanted(_ name: String) -> Bool {
        guard !name.hasPrefix(".") else { return false }
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return !temporaryEndings.contains(ending)
    }

    static func stem(_ name: String) -> String {
        FileName(name).map { String(decoding: $0.stem, as: UTF8.self) } ?? name
    }
}
