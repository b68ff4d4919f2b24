import FoundationEssentials
import LibraryAPI
import PhotoModel
import Testing

@testable import AdminCommands

struct ExtremeNumberTests {
    private static let highest = "9223372036854775807"
    private static let lowest = "-9223372036854775808"

    /// Stand for the extremes until the documents are encoded.
    private static let (mark, otherMark) = (4242, 4343)

    private let library = StubLibrary()

    private func answer(_ line: String, with value: some Encodable, _ number: String, _ other: String) throws {
        let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        let extreme = text.replacing("\(Self.mark)", with: number).replacing("\(Self.otherMark)", with: other)
        #expect(extreme != text)
        library.answer(line, bytes: Array(extreme.utf8))
    }

    private var statistics: LibraryStatistics {
        var counts = LibraryStatistics()
        for path in [\LibraryStatistics.assets, \.trashed, \.albums, \.contents, \.missing, \.quarantined, \.devices] {
            counts[keyPath: path] = Self.mark
        }
        counts.uploads = 1
        (counts.contentBytes, counts.freeBytes) = (Int64(Self.mark), Int64(Self.mark))
        counts.lastChange = ChangeNumber(rawValue: Int64(Self.mark))
        counts.backupWatermark = ChangeNumber(rawValue: Int64(Self.otherMark))
        counts.servers = [
            .init(
                id: "1",
                host: "one",
                folder: "/var/lib/tintype",
                version: "1",
                seen: Samples.now,
                isAlive: true,
                clockAheadMilliseconds: Int64(Self.mark)
            )
        ]
        counts.backupTime = Samples.now.advanced(by: .seconds(-8 * 86_400))
        return counts
    }

    private var device: DeviceSummary {
        var device = Samples.device(1)
        device.status = .init(
            queuedAssets: Self.mark,
            queuedBytes: Int64(Self.mark),
            deadLetters: Self.mark,
            refusedChanges: Self.otherMark,
            freeBytes: Int64(Self.mark),
            holds: Dictionary(uniqueKeysWithValues: (0..<APILimits.holdReasonCount).map { ("reason\($0)", Self.mark) }),
            build: "x"
        )
        return device
    }

    private var uploads: PendingUploadPage {
        let photo = Samples.livePhoto().asset
        let status = photo.resources.map { resource in
            UploadStatus(
                id: UploadID(rawValue: 1),
                resourceID: resource.id,
                offset: Int64(Self.mark),
                length: Int64(Self.otherMark),
                isComplete: false,
                expires: Samples.now
            )
        }
        return PendingUploadPage(assets: [.init(manifest: AssetManifest(photo), uploads: status)])
    }

    @Test(
        "T57: whatever numbers a server and its devices tell, tintypectl shows them and goes on",
        arguments: [(highest, lowest), (lowest, highest), (highest, "1"), (highest, highest), (lowest, lowest)]
    )
    func shown(number: String, other: String) async throws {
        let device = device
        try answer("GET /v1/admin/devices", with: DevicePage(devices: [device]), number, other)
        try answer("GET /v1/admin/devices/\(device.id)", with: device, number, other)
        try answer("GET /v1/admin/devices/\(device.id)/uploads", with: uploads, number, other)
        try answer("GET /v1/admin/library/statistics", with: statistics, number, other)
        let counts = Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0.rawValue, Self.mark) })
        let jobs = JobPage(jobs: [], next: nil, isPaused: false, counts: counts)
        try answer("GET /v1/admin/jobs?limit=1", with: jobs, number, other)
        let audit = AuditVerification(entryCount: Self.mark, signedHeadCount: Self.mark)
        try answer("POST /v1/admin/audit/verify", with: audit, number, other)
        try library.answer("GET /v1/admin/requests", with: AccessRequestPage(requests: []))
        try library.answer("GET /v1/admin/picker-sessions", with: PickDocumentPage(sessions: []))
        let login = WebLoginResponse(csrfToken: "", name: "uid:0", expires: Samples.now)
        try library.answer("GET /v1/admin/web-logins/current", with: login)

        let runner = CommandRunner(library: library)
        let list = await runner.run(["device", "list"])
        #expect(list.status == 0 && list.output.contains("gate"), "\(list.notes)")
        let shown = await runner.run(["device", "show", "\(device.id)"])
        #expect(shown.status == 0, "\(shown.notes)")
        #expect(!shown.output.contains(Self.highest) && !shown.output.contains(Self.lowest), "\(shown.output)")
        let told = shown.output.matches(of: /(\d+) (?:captures|changes)/).compactMap { Int($0.1) }
        #expect(told.allSatisfy { $0 <= 1 << 53 } && (number != Self.highest || told.contains(1 << 53)), "\(told)")
        for words in [
            ["device", "uploads", "\(device.id)"], ["library", "stats"], ["watch", "--count", "2"],
            ["watch", "--count", "2", "--json"],
        ] {
            let outcome = await runner.run(words)
            #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(words): \(outcome.notes)")
        }
        let doctor = await runner.run(["doctor"])
        #expect(doctor.output.contains("backup") && doctor.output.contains("jobs"), "\(doctor.notes)")
    }

    @Test("a backup lacks what came after it: nothing if the numbers contradict each other")
    func changesSinceBackup() {
        func missing(_ last: Int64, _ backup: Int64?) -> Int? {
            var counts = LibraryStatistics()
            counts.lastChange = ChangeNumber(rawValue: last)
            counts.backupWatermark = backup.map { ChangeNumber(rawValue: $0) }
            return counts.changesSinceBackup
        }
        #expect(missing(9, 5) == 4)
        #expect(missing(9, nil) == nil)
        #expect(missing(5, 9) == 0)
        #expect(missing(.max, .min) == .max)
        #expect(missing(.min, .max) == 0)
    }
}
