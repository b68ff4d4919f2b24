import ArgumentParser
import Authorization
import DeviceIdentity
import Foundation
import LibraryAPI
import PhotoModel
import Terminal
import Testing

@testable import AdminCommands

/// Holds `docs/cli-json.md` to the commands and to what they write.
struct JSONDocumentTests {
    private static var page: String {
        get throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            return try String(contentsOf: root.appending(path: "docs/cli-json.md"), encoding: .utf8)
        }
    }

    /// The rows of the tables: what stands in each cell, without its backticks.
    private static func rows() throws -> [[String]] {
        try page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces).filter { $0 != "`" } }
        }
    }

    private static func leaves(_ type: any ParsableCommand.Type, _ words: [String]) -> [[String]] {
        let below = type.configuration.subcommands
        return below.isEmpty ? [words] : below.flatMap { leaves($0, words + [$0.configuration.commandName ?? "?"]) }
    }

    @Test("every command that takes --json has its row, and no other has")
    func commands() async throws {
        var wanted: Set<String> = []
        for words in Self.leaves(AdminCommand.self, []) {
            let help = await CommandRunner(library: StubLibrary()).run(words + ["--help"]).output
            if help.contains("--json") { wanted.insert(words.joined(separator: " ")) }
        }
        let documented = try Self.rows().filter { $0.count == 2 && $0[0].first?.isLowercase == true }.map { $0[0] }
        #expect(Set(documented).count == documented.count)
        #expect(wanted.symmetricDifference(documented).sorted() == [])
    }

    @Test("every shape that a command answers with is described, member by member")
    func shapes() throws {
        var described: [String: Set<String>] = [:]
        for row in try Self.rows() where row.count == 2 && row[0].first?.isUppercase == true {
            described[row[0]] = Set(row[1].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        }
        for (name, sample) in try Self.samples() {
            let members = Set(Mirror(reflecting: sample).children.compactMap(\.label)).subtracting(["fingerprints"])
            let difference = members.symmetricDifference(described[name] ?? []).sorted()
            #expect(difference == [], "\(name) has \(members.sorted().joined(separator: ", "))")
            described[name] = nil
        }
        #expect(described.keys.sorted() == [], "nothing of this is written")
        let names = Set(try Self.samples().map(\.0))
        for row in try Self.rows() where row.count == 2 && row[0].first?.isLowercase == true {
            let shape = row[1].filter { $0.isLetter }
            #expect(["identifiers", "oneobject"].contains(shape) || names.contains(shape), "\(row)")
        }
    }

    /// One value of each shape; members of a value that is missing are seen all the same.
    private static func samples() throws -> [(String, Any)] {
        let device = Samples.device(1)
        let photo = Samples.livePhoto().asset
        let audit = try #require(Samples.audit(count: 1).first)
        let (signed, _) = try Samples.receipt(key: DeviceKey())
        let pick = PickDocument(
            id: PickerSessionID(rawValue: 1),
            caller: "",
            deviceID: nil,
            code: "",
            request: PickerRequest(purpose: ""),
            strip: [],
            encoding: .current,
            state: .open,
            picked: [],
            created: Samples.now,
            expires: Samples.now
        )
        let digest = device.keyFingerprint
        let token = EnrollmentTokenSummary(
            id: EnrollmentTokenID(rawValue: 1),
            request: EnrollmentTokenRequest(maximum: "addOnly", uses: 1, expiresSeconds: 1),
            usesLeft: 1,
            expires: Samples.now,
            createdBy: "",
            created: Samples.now
        )
        let job = JobSummary(
            id: JobID(rawValue: 1),
            digest: digest,
            state: .dead,
            priority: 0,
            attempts: 0,
            workerDeaths: 0,
            due: Samples.now
        )
        let manifest = BackupManifest(
            libraryID: LibraryID(rawValue: 1),
            epoch: LibraryEpoch(rawValue: 1),
            lastChange: .zero,
            time: Samples.now,
            databaseDigest: digest,
            contents: 0,
            byteCount: 0,
            missing: []
        )
        let backup = BackupReport(
            snapshot: "",
            manifest: manifest,
            copiedContents: 0,
            copiedBytes: 0,
            removedSnapshots: 0
        )
        let history = HistoryEntry(
            number: .zero,
            time: Samples.now,
            actor: "",
            entity: .asset(photo.id),
            what: ""
        )
        let operators = OperatorSummary(
            id: OperatorCertificateID(rawValue: 1),
            name: "",
            keyFingerprint: digest,
            expires: Samples.now,
            createdBy: "",
            created: Samples.now
        )
        let login = WebSessionSummary(
            id: WebSessionID(rawValue: 1),
            name: "",
            address: nil,
            created: Samples.now,
            expires: Samples.now
        )
        let request = AccessRequestSummary(
            deviceID: device.id,
            deviceName: "",
            keyFingerprint: digest,
            level: "",
            usage: "",
            openedAt: Samples.now,
            expiresAt: Samples.now
        )
        let expansion = ExpansionSummary(
            id: ExpansionID(rawValue: 7),
            deviceID: device.id,
            deviceName: "",
            reason: "",
            openedAt: Samples.now,
            expiresAt: Samples.now
        )
        return [
            ("Inbox", Inbox(AccessRequestPage(requests: []), devices: [])), ("AccessRequestSummary", request),
            ("ExpansionSummary", expansion), ("Album", Album(id: AlbumID(rawValue: 1), title: "")),
            ("AlbumPage", AlbumPage(albums: [])), ("Asset", photo), ("AssetPage", AssetPage(assets: [])),
            ("AuditEntry", audit), ("AuditHead", AuditHead.start), ("AuditPage", AuditPage(entries: [])),
            ("BackupReport", backup), ("CeilingPolicy", CeilingPolicy(ceilings: [])),
            ("CeilingRule", CeilingRule(name: "", limit: "")), ("Context", AccessContext(name: "")),
            ("Contexts", ContextFile.Contents()), ("DevicePage", DevicePage(devices: [])), ("DeviceSummary", device),
            ("EnrollmentTokenResponse", EnrollmentTokenResponse(token: "", summary: token, address: "")),
            ("EnrollmentTokenPage", EnrollmentTokenPage(tokens: [])), ("EnrollmentTokenSummary", token),
            ("ExportReport", Exporter.Report()), ("Finding", Finding.good("", "")),
            ("GrantFinding", GrantLinter.Finding(object: "", finding: "", next: "")), ("HistoryEntry", history),
            ("HistoryPage", HistoryPage(entries: [])), ("ImportReport", FileUploader.Report()),
            ("JobCount", JobCount(count: 0)), ("JobPage", JobPage(jobs: [], next: nil, isPaused: false, counts: [:])),
            ("JobSummary", job), ("KeywordCount", KeywordCount(keyword: try Keyword(argument: "a"), assetCount: 0)),
            ("LibraryStatistics", LibraryStatistics()),
            (
                "MaintenanceTask",
                MaintenanceTask(id: MaintenanceTaskID(rawValue: 1), request: .collect, began: Samples.now)
            ),
            ("OperatorPage", OperatorPage(operators: [])), ("OperatorSummary", operators),
            ("PendingUploadPage", PendingUploadPage(assets: [])), ("PickDocument", pick),
            ("PickDocumentPage", PickDocumentPage(sessions: [])), ("Selection", Selection()), ("SignedReceipt", signed),
            (
                "SignedAuditHead",
                SignedAuditHead(sequence: 0, digest: digest, time: Samples.now, keyID: "", signature: [])
            ),
            ("VerificationReport", VerificationReport()),
            ("WebLinkResponse", WebLinkResponse(uri: "", expires: Samples.now)),
            ("WebSessionPage", WebSessionPage(sessions: [])), ("WebSessionSummary", login),
        ]
    }
}
