import ArgumentParser
import LibraryAPI
import LibraryClient
import Terminal

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "library",
        "Counts and checks the library.",
        examples: [
            "tintypectl library stats",
            "tintypectl library verify --hash",
            "tintypectl library backup /var/backups/tintype",
        ],
        subcommands: [
            LibraryStats.self, LibraryVerify.self, LibraryRepair.self, LibraryBackup.self, LibraryRestore.self,
            LibraryCollect.self, LibraryHistory.self,
        ]
    )
}

struct LibraryStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "stats",
        "Shows counts and sizes.",
        examples: ["tintypectl library stats", "tintypectl library stats --json"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let counts: LibraryStatistics = try await common.client().call(.adminStatistics)
        var fields = [
            Report.Field("Assets", Cell("\(counts.assets)")),
            Report.Field("In the trash", Cell("\(counts.trashed)")),
            Report.Field("Albums", Cell("\(counts.albums)")),
            Report.Field("Contents", Cell("\(counts.contents), \(Wording.byteCount(counts.contentBytes))")),
            Report.Field("Missing", Cell("\(counts.missing)", counts.missing > 0 ? .bad : .plain)),
            Report.Field("Uploads", Cell("\(counts.uploads)")),
            Report.Field("In quarantine", Cell("\(counts.quarantined)")),
            Report.Field("Devices", Cell("\(counts.devices)")),
            Report.Field("Free", Cell(counts.freeBytes.map(Wording.byteCount) ?? "unknown")),
            Report.Field("Last change", Cell("\(counts.lastChange)")),
            Report.Field("Last backup", backup(counts)),
        ]
        let servers = counts.servers ?? []
        fields += servers.map { server in
            let words = "\(server.name(among: servers)): \(server.words(now: common.session.now()))"
            return Report.Field("Server", Cell(words, server.needsAttention ? .warning : .plain))
        }
        try common.show(Report(wire: counts, identifiers: ["\(counts.assets)"], content: .record(fields)))
    }

    private func backup(_ counts: LibraryStatistics) -> Cell {
        guard let time = counts.backupTime, let behind = counts.changesSinceBackup else {
            return Cell("none", .warning)
        }
        let age = Wording.relative(time, now: common.session.now())
        return Cell(behind > 0 ? "\(age), \(Wording.count(behind, "change")) behind" : age)
    }
}
