import LibraryAPI
import PhotoModel
import Terminal

extension LibraryStatistics {
    /// The number of changes that the last backup lacks; nil without a backup.
    var changesSinceBackup: Int? {
        backupWatermark.map { mark in
            let (difference, overflow) = lastChange.rawValue.subtractingReportingOverflow(mark.rawValue)
            guard !overflow else { return lastChange > mark ? .max : 0 }
            return Int(max(difference, 0))
        }
    }
}

extension LibraryStatistics.Server {
    /// Its clock's difference from the database's, either way.
    private var clockDifference: Duration { .milliseconds(clockAheadMilliseconds?.magnitude ?? 0) }

    /// Whether its clock should be corrected.
    var hasWrongClock: Bool { clockDifference > Self.notedClockDifference }

    /// Whether its clock keeps it from being ready.
    var isRefusedForClock: Bool { clockDifference > Self.refusedClockDifference }

    /// Whether it is silent, or its clock is wrong.
    var needsAttention: Bool { !isAlive || hasWrongClock }

    /// Its machine, with the folder if another of the library's servers has the same one.
    func name(among servers: [Self]) -> String {
        servers.contains { $0.host == host && $0.folder != folder } ? "\(host) \(folder)" : host
    }

    /// Its version, when it was last seen, and what is wrong.
    func words(now: WallTime) -> String {
        // The database's clock may be ahead of this machine's.
        var words = ["version \(version)", "seen \(Wording.relative(min(seen, now), now: now))"]
        if !isAlive { words.append("silent") }
        if hasWrongClock {
            let direction = clockAheadMilliseconds ?? 0 > 0 ? "ahead of" : "behind"
            let consequence = isRefusedForClock ? ", so it is not ready" : ""
            words.append("its clock is \(Wording.span(clockDifference)) \(direction) the database's\(consequence)")
        }
        return words.joined(separator: ", ")
    }
}
