import Authorization
import DeviceIdentity
import FoundationEssentials
import LibraryAPI
import PhotoModel
import Testing

@testable import AdminCommands

struct LibraryCommandTests {
    private let library = StubLibrary()

    @Test("flags make one filter tree, and a page names the next one's cursor")
    func assetList() async throws {
        var asset = Asset(
            id: Samples.asset,
            mediaType: .image,
            captureTime: CaptureTime(
                wall: Samples.now.advanced(by: .seconds(-3600)),
                source: .deviceClock,
                isSynchronized: true
            )
        )
        asset.title = "cat\u{1B}[2J"
        asset.pixelSize = PixelSize(width: 40, height: 30)
        let filter = #"{"all":["livePhotos",{"captured":{"from":"2026-09-14T14:13:20Z"}},{"text":"red car"}]}"#
        let query = PercentEncoding.query([
            ("sort", "-captureDate"), ("limit", "100"), ("filter", filter),
        ])
        try library.answer(
            "GET /v1/assets?\(query)",
            with: AssetPage(assets: [asset], next: ListCursor(text: "c1"))
        )
        let outcome = await CommandRunner(library: library)
            .run(["asset", "list", "--type", "live-photos", "--since", "7d", "--text", "red car"])
        #expect(
            outcome.output == """
                ASSET                                 KIND   CAPTURED  PIXELS  SIZE  NAME
                00000000-0000-0000-0000-000000000007  image  1 h ago   40x30    0 B  cat\\u{1B}[2J

                """
        )
        #expect(outcome.notes == "next: the same command with --cursor c1, or with --all\n")
    }

    @Test("D4: people read the time at the place of a capture, programs the instant")
    func localTime() async throws {
        let taken = try #require(WallTime("2026-06-01T05:00:00Z"))
        let evidence = CaptureTime(wall: taken, utcOffsetSeconds: -25_200, source: .deviceClock, isSynchronized: true)
        let asset = Asset(id: Samples.asset, mediaType: .image, captureTime: evidence)
        try library.answer("GET /v1/assets/\(asset.id)", with: asset)
        try library.answer(
            "GET /v1/assets?\(PercentEncoding.query([("sort", "-captureDate"), ("limit", "100")]))",
            with: AssetPage(assets: [asset], next: nil)
        )
        let runner = CommandRunner(library: library)
        let shown = await runner.run(["asset", "show", "\(asset.id)"]).output
        #expect(shown.contains("2026-05-31T22:00:00-07:00 (2026-05-31)"), "\(shown)")
        #expect(await runner.run(["asset", "list"]).output.contains(" 2026-05-31 "))
        let wire = await runner.run(["asset", "show", "\(asset.id)", "--json"]).output
        #expect(wire.contains("2026-06-01T05:00:00Z") && !wire.contains("2026-05-31"), "\(wire)")
    }

    @Test(
        "a clock that was not synchronised is named, but not the one behind a file's date, which nobody knows",
        arguments: [(.deviceClock, true), (.fileMetadata, false), (.fileModification, false)]
            as [(CaptureTime.Source, Bool)]
    )
    func fileClock(source: CaptureTime.Source, isNamed: Bool) async throws {
        let time = CaptureTime(wall: Samples.now, source: source, isSynchronized: false)
        let asset = Asset(id: Samples.asset, mediaType: .image, captureTime: time)
        try library.answer("GET /v1/assets/\(asset.id)", with: asset)
        let shown = await CommandRunner(library: library).run(["asset", "show", "\(asset.id)"]).output
        #expect(shown.contains("not synchronised") == isNamed, "\(shown)")
    }

    @Test("T44: an unbroken audit is verified over its pages, and its head proves it later")
    func auditVerify() async throws {
        let entries = Samples.audit(count: 5)
        try answerAudit(entries, pages: [0..<2, 2..<5])
        let runner = CommandRunner(library: library)
        let head = await runner.run(["audit", "verify", "--quiet"])
        #expect(head.output == "5:\(entries[4].digest)\n")
        let expected = head.output.filter { $0 != "\n" }
        #expect(await runner.run(["audit", "verify", "--expect", expected]).status == 0)
        #expect(await runner.run(["audit", "verify", "--expect", "2:\(entries[1].digest)"]).status == 0)
        #expect(await runner.run(["audit", "verify", "--expect", "0:"]).status == 0)
    }

    @Test("T44: an audit that was cut off, rewritten, thinned out or changed fails")
    func auditDamage() async throws {
        let entries = Samples.audit(count: 5)
        let runner = CommandRunner(library: library)
        try answerAudit(Array(entries.prefix(3)), pages: [0..<3])
        let cut = await runner.run(["audit", "verify", "--expect", "5:\(entries[4].digest)"])
        #expect(cut.status == 1)
        #expect(cut.notes.contains("cut off"))
        let rewritten = await runner.run(["audit", "verify", "--expect", "3:\(entries[4].digest)"])
        #expect(rewritten.notes.contains("rewritten"))
        try answerAudit([entries[0], entries[2]], pages: [0..<2])
        #expect(await runner.run(["audit", "verify"]).notes.contains("Entry 3 is where 2 should be"))
        let text = String(decoding: try JSONEncoder().encode(entries), as: UTF8.self)
        let changed = try JSONDecoder().decode(
            [AuditEntry].self,
            from: Data(text.replacing("reason 1", with: "reason 9").utf8)
        )
        try answerAudit(changed, pages: [0..<5])
        let tampered = await runner.run(["audit", "verify"])
        #expect(tampered.status == 1)
        #expect(tampered.notes.contains("Entry 2 was changed"))
    }

    @Test("the tail is the audit's end")
    func auditTail() async throws {
        try answerAudit(Samples.audit(count: 5), pages: [0..<3, 3..<5])
        let outcome = await CommandRunner(library: library).run(["audit", "tail", "--count", "3", "--quiet"])
        #expect(outcome.output == "3\n4\n5\n")
    }

    @Test("T44: what the server finds wrong with what it signed is told, and ends with 1")
    func auditSignatures() async throws {
        let found = AuditVerification(entryCount: 2, signedHeadCount: 1, problem: "the signed head was changed")
        try library.answer("POST /v1/admin/audit/verify", with: found)
        let outcome = await CommandRunner(library: library).run(["audit", "verify"])
        #expect(outcome.status == 1)
        #expect(outcome.notes.contains("the signed head was changed"))
    }

    private func answerAudit(_ entries: [AuditEntry], pages: [Range<Int>]) throws {
        try library.answer(
            "POST /v1/admin/audit/verify",
            with: AuditVerification(entryCount: entries.count, signedHeadCount: 0)
        )
        for range in pages {
            let after = range.lowerBound == 0 ? 0 : entries[range.lowerBound - 1].sequence
            let next = range.upperBound < entries.count ? entries[range.upperBound - 1].sequence : nil
            try library.answer(
                "GET /v1/admin/audit?after=\(after)&limit=1000",
                with: AuditPage(entries: Array(entries[range]), next: next)
            )
        }
    }

    @Test("a receipt is verified against the pinned keys without asking anybody; a changed one fails")
    func receipt() async throws {
        let (signed, authority) = try Samples.receipt(key: DeviceKey())
        let (_, stranger) = try Samples.receipt(key: DeviceKey())
        let encoder = JSONEncoder()
        let text = String(decoding: try encoder.encode(signed), as: UTF8.self)
        let changed = text.replacing(#""byteCount":9"#, with: #""byteCount":8"#)
        #expect(changed != text)
        let files = [
            "receipt": Array(text.utf8), "changed": Array(changed.utf8), "junk": Array("{}".utf8),
            "authority": Array(try encoder.encode(authority)), "stranger": Array(try encoder.encode(stranger)),
        ]
        let runner = CommandRunner(library: library, files: files)
        let good = await runner.run(["receipt", "verify", "receipt", "--authority", "authority"])
        #expect(good.status == 0)
        #expect(good.output.contains("Signature:      good"))
        let cases = [
            ("changed", "authority", "signature does not match"), ("receipt", "stranger", "another library"),
            ("junk", "authority", "not a receipt"), ("receipt", "junk", "not an authority"),
            ("missing", "authority", "cannot be read"),
        ]
        for (receipt, authority, words) in cases {
            let bad = await runner.run(["receipt", "verify", receipt, "--authority", authority])
            #expect(bad.status == 1)
            #expect(bad.notes.contains(words), "\(bad.notes)")
        }
        #expect(library.requests.isEmpty)
    }

    @Test("a library where something is wrong ends with 1, after the findings were told")
    func verify() async throws {
        let runner = CommandRunner(library: library)
        var report = VerificationReport()
        (report.checkedContents, report.checkedBytes, report.hasHashed) = (2, 9, true)
        report.findings = [.init(kind: .wrongDigest, object: "ab/cd/abcd.jpg", isQuarantined: false)]
        try answerTask(.verified(report: report))
        let bad = await runner.run(["library", "verify", "--hash"])
        #expect(bad.status == 1)
        #expect(bad.output.contains("wrongDigest  ab/cd/abcd.jpg  no"))
        report.findings = []
        try answerTask(.verified(report: report))
        let good = await runner.run(["library", "verify", "--hash"])
        #expect(good.status == 0)
        #expect(good.output == "All is well: 2 contents, 9 B, every digest computed.\n")
    }

    /// The server runs every task, and ends it so at the second look.
    private func answerTask(_ end: MaintenanceTask.State) throws {
        var task = MaintenanceTask(
            id: MaintenanceTaskID(rawValue: 7),
            request: .collect,
            began: CommandRunner.now
        )
        try library.answer("POST /v1/admin/library/tasks", with: task)
        task.state = end
        try library.answer("GET /v1/admin/library/tasks/\(task.id)", with: task)
    }

    @Test("a backup tells what it holds, and fails where the library has lost bytes")
    func backup() async throws {
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32)))
        func report(missing: [ContentDigest]) -> BackupReport {
            BackupReport(
                snapshot: "2026-11-21T03-30-00Z",
                manifest: BackupManifest(
                    libraryID: LibraryID(rawValue: 1),
                    epoch: LibraryEpoch(rawValue: 2),
                    lastChange: ChangeNumber(rawValue: 12),
                    time: CommandRunner.now,
                    databaseDigest: digest,
                    contents: 5,
                    byteCount: 2048,
                    missing: missing
                ),
                copiedContents: 2,
                copiedBytes: 1024,
                removedSnapshots: 1
            )
        }
        let runner = CommandRunner(library: library)
        try answerTask(.backedUp(report: report(missing: [])))
        let good = await runner.run(["library", "backup", "/var/backups/tintype"])
        #expect(good.status == 0)
        #expect(good.output.contains("2026-11-21T03-30-00Z") && good.output.contains("2 contents, 1.0 KiB"))
        #expect(library.requests.contains { $0.line == "POST /v1/admin/library/tasks" })
        try answerTask(.backedUp(report: report(missing: [digest])))
        let bad = await runner.run(["library", "backup", "/var/backups/tintype"])
        #expect(bad.status == 1 && bad.notes.contains("library repair"))
        #expect(await runner.run(["library", "backup", "relative"]).status == 64)
    }

    @Test("a backup by other tools is noted by its change, instead of a folder")
    func externalBackup() async throws {
        let runner = CommandRunner(library: library)
        try answerTask(.noted(upTo: ChangeNumber(rawValue: 48_211)))
        let outcome = await runner.run(["library", "backup", "--external", "48211"])
        #expect(outcome.status == 0 && outcome.output.contains("up to change 48211"), "\(outcome.output)")
        let sent = library.requests.first { $0.line == "POST /v1/admin/library/tasks" }
        #expect(sent?.body == #"{"noteBackup":{"upTo":48211}}"#)
        for wrong in [[], ["/var/backups", "--external", "1"], ["--external", "-1"]] {
            #expect(await runner.run(["library", "backup"] + wrong).status == 64)
        }
    }

    @Test("a restore is the server's own command, run in place of this one")
    func restore() async throws {
        let runner = CommandRunner(library: library)
        let outcome = await runner.run(["library", "restore", "/mnt/b", "--into", "/srv/new", "--snapshot", "x"])
        #expect(outcome.output == "tintype-server restore /mnt/b --set library.path=/srv/new --snapshot x\n")
    }

    @Test("a selection is read, changed and replaced; albums are named by titles that only one has")
    func selection() async throws {
        let device = Samples.device(1, readWrite: .limited)
        let album = Album(id: AlbumID(rawValue: 6), title: "Gate")
        let twin = Album(id: AlbumID(rawValue: 9), title: "Twin")
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device]))
        try library.answer(
            "GET /v1/albums",
            with: AlbumPage(albums: [album, twin, twin].map { .init(album: $0, assetCount: 1) })
        )
        let path = "/v1/admin/selections/\(device.id)"
        try library.answer("GET \(path)", with: Selection(rules: [.favorites]))
        let wanted = Selection(assets: [Samples.asset], rules: [.favorites], grantedAlbums: [album.id])
        try library.answer("PUT \(path)", with: wanted)
        let reference = String(device.keyFingerprint.description.prefix(12))
        let runner = CommandRunner(library: library)
        let added = await runner.run([
            "selection", "add", reference, "--album", "Gate", "--asset", "\(Samples.asset)", "--rule", #""favorites""#,
        ])
        #expect(added.status == 0)
        let sent = try JSONDecoder().decode(Selection.self, from: Data((library.requests.last?.body ?? "").utf8))
        #expect(sent == wanted)
        let ambiguous = await runner.run(["selection", "add", reference, "--album", "Twin"])
        #expect(ambiguous.notes.contains("2 albums have the title"))
        let missing = await runner.run(["selection", "remove", reference, "--album", "Hall"])
        #expect(missing.notes.contains("next: tintypectl album list"))
    }
}
