import DeviceIdentity
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

/// The result of one check.
struct Finding: Hashable, Encodable {
    /// A check's outcome.
    enum Outcome: String, Hashable, Encodable {
        /// All is well.
        case good
        /// Needs attention, but is not urgent.
        case warning
        /// Something is lost, wrong, or not working.
        case bad
    }

    /// The check, in a word; stable across versions.
    let check: String
    let outcome: Outcome
    /// The finding.
    let words: String
    /// The next step; nil if none.
    let next: String?

    static func good(_ check: String, _ words: String) -> Finding {
        Finding(check: check, outcome: .good, words: words, next: nil)
    }

    static func warning(_ check: String, _ words: String, next: String) -> Finding {
        Finding(check: check, outcome: .warning, words: words, next: next)
    }

    static func bad(_ check: String, _ words: String, next: String) -> Finding {
        Finding(check: check, outcome: .bad, words: words, next: next)
    }
}

/// Judges the state of a library: limits and wording, without calls.
struct Checkup {
    /// Clocks that differ by more confuse tokens and links.
    private static let clockTolerance = Duration.seconds(30)
    /// A certificate that expires sooner should be renewed.
    private static let certificateMargin = Duration.seconds(14 * 86_400)
    /// An older backup is no backup.
    private static let backupAge = Duration.seconds(7 * 86_400)
    /// A device silent for longer may be broken.
    private static let silence = Duration.seconds(7 * 86_400)

    let now: WallTime

    /// The clocks of this machine and the server's.
    func clock(server: WallTime) -> Finding {
        let difference = now.duration(since: server)
        let words = "this machine's clock is \(Wording.span(.seconds(abs(difference / .seconds(1)))))"
        guard abs(difference / .seconds(1)) > Self.clockTolerance / .seconds(1) else {
            return .good("clock", "agrees with the server's")
        }
        return .warning(
            "clock",
            "\(words) \(difference > .zero ? "ahead of" : "behind") the server's",
            next: "synchronise both, for example with systemd-timesyncd"
        )
    }

    /// The operator's own certificate; nil over a socket.
    func certificate(ending end: WallTime?) -> Finding {
        guard let end else { return .good("certificate", "none is needed over the socket") }
        let words = "ends \(Wording.relative(end, now: now))"
        guard end > now.advanced(by: Self.certificateMargin) else {
            return .warning(
                "certificate",
                words,
                next: "tintypectl context request with a new name, and tintypectl operator add on the server"
            )
        }
        return .good("certificate", words)
    }

    /// The library's contents: present, lost or damaged, and quarantined.
    func contents(_ counts: LibraryStatistics) -> Finding {
        if counts.missing > 0 {
            return .bad(
                "contents",
                "\(Wording.count(counts.missing, "content")) lost or damaged",
                next: "tintypectl library repair --hash asks the devices; a backup may have them too"
            )
        }
        // Purged and replaced files wait there as well; what is damaged counts as missing.
        let quarantine = counts.quarantined > 0 ? "; \(counts.quarantined) more in quarantine" : ""
        return .good("contents", "\(Wording.count(counts.contents, "content")), none lost or damaged\(quarantine)")
    }

    /// The database, and whether it keeps what it confirms.
    func rows(_ counts: LibraryStatistics) -> [Finding] {
        guard let storage = counts.storage else { return [] }
        switch storage.replication {
        case nil: return [.good("rows", storage.rows)]
        case .some(.none): return [.good("rows", "\(storage.rows), no standby")]
        case .synchronous: return [.good("rows", "\(storage.rows), synchronous standbys")]
        case .asynchronous:
            return [
                .warning(
                    "rows",
                    "\(storage.rows), asynchronous standbys: a failover loses confirmed changes",
                    next: "set synchronous_standby_names, and synchronous_commit = on"
                )
            ]
        }
    }

    /// Where the originals are, and whether they can be reached.
    func originals(_ counts: LibraryStatistics) -> [Finding] {
        guard let storage = counts.storage else { return [] }
        guard let problem = storage.problem else { return [.good("originals", storage.originals)] }
        let next = "check the store, and the connection to it; boxes keep their captures"
        return [.bad("originals", "\(storage.originals): \(problem)", next: next)]
    }

    /// The servers over the library's rows: each with its version, and when it was last seen.
    func servers(_ counts: LibraryStatistics) -> [Finding] {
        guard let servers = counts.servers else { return [] }
        var findings = servers.map { server in
            let name = server.name(among: servers)
            let words = "\(name): \(server.words(now: now))"
            guard server.isAlive else {
                return Finding.warning(
                    "server",
                    words,
                    next: "start \(name) again; a server that was removed is forgotten after an hour"
                )
            }
            guard server.hasWrongClock else { return .good("server", words) }
            let next = "synchronise the clock of \(name) and the database's, for example with systemd-timesyncd"
            return server.isRefusedForClock ? .bad("server", words, next: next) : .warning("server", words, next: next)
        }
        let versions = Set(servers.filter(\.isAlive).map(\.version)).sorted()
        if versions.count > 1 {
            findings.append(
                .warning(
                    "server",
                    "servers run different versions: \(versions.joined(separator: ", "))",
                    next: "finish the upgrade, one server after the other"
                )
            )
        }
        return findings
    }

    /// The free space.
    func disk(_ counts: LibraryStatistics) -> Finding {
        if counts.freeBytes == nil, let originals = counts.storage?.originals, originals.hasPrefix("s3://") {
            return .good("disk", "originals are in a bucket, which has no limit of its own")
        }
        guard let free = counts.freeBytes else {
            return .warning("disk", "the server does not report it", next: "df on the server's machine")
        }
        guard free < LibraryStatistics.lowByteCount else { return .good("disk", "\(Wording.byteCount(free)) free") }
        return .bad(
            "disk",
            "only \(Wording.byteCount(free)) free",
            next: "make room, or tintypectl library gc deletes what is past its time"
        )
    }

    /// The age of the last backup.
    func backup(_ counts: LibraryStatistics) -> Finding {
        let next = "tintypectl library backup FOLDER; the timer tintype-backup does it every night"
        guard let time = counts.backupTime, let behind = counts.changesSinceBackup else {
            return counts.assets == 0
                ? .good("backup", "none, and nothing to lose") : .bad("backup", "there is none", next: next)
        }
        let words = "\(Wording.relative(time, now: now)), \(Wording.count(behind, "change")) behind"
        guard now.duration(since: time) > Self.backupAge, behind > 0 else { return .good("backup", words) }
        return .warning("backup", words, next: next)
    }

    /// Pending work on originals.
    func jobs(_ page: JobPage) -> Finding {
        let hasGivenUp = [JobState.dead, .bad].contains { (page.counts[$0.rawValue] ?? 0) > 0 }
        if page.isPaused { return .warning("jobs", "paused", next: "tintypectl jobs resume") }
        guard hasGivenUp else { return .good("jobs", page.words) }
        return .warning("jobs", page.words, next: "tintypectl jobs list --state dead says why; tintypectl jobs retry")
    }

    /// The audit's chain and signed heads.
    func audit(_ verification: AuditVerification) -> Finding {
        if let problem = verification.problem {
            return .bad("audit", problem, next: "keep the server's files as they are, and compare with a backup")
        }
        let words = "\(Wording.count(verification.entryCount, "entry", plural: "entries"))"
        return .good("audit", "\(words) unbroken, \(verification.signedHeadCount) signed heads valid")
    }

    /// Devices that need attention.
    func devices(_ devices: [DeviceSummary]) -> [Finding] {
        var findings: [Finding] = []
        func warn(_ words: String, _ device: DeviceSummary, _ next: String) {
            let name = Wording.short(device.keyFingerprint)
            findings.append(.warning("device", "\(device.name) (\(name)) \(words)", next: "\(next) \(name)"))
        }
        for device in devices {
            switch device.state {
            case .suspect: warn("runs as two copies", device, "tintypectl device resolve")
            case .pending: warn("waits for approval", device, "tintypectl device approve --as add-only")
            case .active, .draining:
                let held = device.status.map { $0.holds.values.reduce($0.deadLetters, +) } ?? 0
                if held > 0 {
                    warn("holds \(Wording.count(held, "capture")) back", device, "tintypectl device show")
                } else if now.duration(since: device.lastSeen ?? device.firstSeen) > Self.silence {
                    warn(
                        "was last seen \(Wording.relative(device.lastSeen, now: now))",
                        device,
                        "tintypectl device show"
                    )
                }
            default: break
            }
        }
        return findings.isEmpty
            ? [.good("device", "\(Wording.count(devices.count, "device")), none needs attention")] : findings
    }

    func requests(_ page: AccessRequestPage) -> Finding {
        let count = page.requests.count + page.expansions.count
        guard count > 0 else { return .good("requests", "none open") }
        return .warning("requests", "\(Wording.count(count, "request")) open", next: "tintypectl request list")
    }
}
