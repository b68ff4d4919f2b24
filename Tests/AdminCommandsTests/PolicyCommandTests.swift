import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel
import Testing

@testable import AdminCommands

struct PolicyCommandTests {
    private let library = StubLibrary()

    private func prefix(_ device: DeviceSummary) -> String { String(device.keyFingerprint.description.prefix(12)) }

    private func sent<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data((library.requests.last?.body ?? "").utf8))
    }

    @Test("a ceiling is set beside the others, which stay; nobody to ask and no --yes changes nothing")
    func ceilings() async throws {
        let policy = CeilingPolicy(ceilings: [CeilingRule(name: "gate", limit: "limited")])
        try library.answer("GET /v1/admin/ceilings", with: policy)
        try library.answer("PUT /v1/admin/ceilings", with: policy)
        let runner = CommandRunner(library: library)
        #expect(await runner.run(["ceiling", "set", "outdoors", "add-only"]).status == 64)
        #expect(library.requests.allSatisfy { $0.line.hasPrefix("GET") })
        let set = await runner.run([
            "ceiling", "set", "outdoors", "add-only", "--no-picker", "--yes", "--reason", "wet",
        ])
        #expect(set.status == 0, "\(set.notes)")
        let wanted = CeilingPolicy(
            ceilings: policy.ceilings + [CeilingRule(name: "outdoors", limit: "addOnly", isPickerAllowed: false)],
            reason: "wet"
        )
        #expect(try sent(CeilingPolicy.self) == wanted)
        #expect(await runner.run(["ceiling", "remove", "gate", "--yes"]).status == 0)
        #expect(try sent(CeilingPolicy.self).ceilings.isEmpty)
        #expect(await runner.run(["ceiling", "remove", "none", "--yes"]).notes.contains("tintypectl ceiling show"))
        #expect(await runner.run(["ceiling", "set", "gate", "all", "--yes"]).status == 64)
    }

    @Test("a device's name, tags and album are changed; tags can be taken away")
    func rename() async throws {
        let device = Samples.device(1)
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device]))
        try library.answer("PATCH /v1/admin/devices/\(device.id)", with: device)
        let runner = CommandRunner(library: library)
        let words = ["device", "rename", prefix(device)]
        #expect(await runner.run(words + ["North gate", "--tag", "a", "--tag", "b", "--album", "Gate"]).status == 0)
        #expect(try sent(DeviceEdit.self) == DeviceEdit(name: "North gate", tags: ["a", "b"], album: "Gate"))
        #expect(await runner.run(words + ["--no-tags"]).status == 0)
        #expect(try sent(DeviceEdit.self) == DeviceEdit(tags: []))
        #expect(await runner.run(words).status == 64)
    }

    @Test("002.8: what a device waits for is shown with the reason and the command that changes it")
    func held() async throws {
        var device = Samples.device(1)
        device.status = ContactRequest.Status(
            queuedAssets: 3,
            queuedBytes: 4096,
            deadLetters: 3,
            refusedChanges: 2,
            freeBytes: 1 << 30,
            holds: ["denied": 2, "later-invented": 1],
            build: "tintype-agent 1"
        )
        device.authorization.next = "an administrator runs: tintypectl device decide <fingerprint> --as selected"
        device.instances = [
            DeviceInstance(
                incarnation: String(repeating: "0a", count: 16),
                acknowledged: 4,
                lastContact: Samples.now,
                refusedCount: 1
            )
        ]
        let session = PickDocument(
            id: PickerSessionID(rawValue: 9),
            caller: "gate",
            deviceID: device.id,
            code: "WDJB",
            request: PickerRequest(purpose: "frame\u{1B}[2J"),
            strip: [.location],
            encoding: .current,
            state: .done,
            picked: [Samples.asset],
            created: Samples.now,
            expires: Samples.now.advanced(by: .seconds(3600))
        )
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device]))
        try library.answer("GET /v1/admin/devices/\(device.id)", with: device)
        try library.answer("GET /v1/admin/picker-sessions", with: PickDocumentPage(sessions: [session]))
        let shown = await CommandRunner(library: library).run(["device", "show", prefix(device)])
        for words in [
            "3 captures, 4.0 KiB", "2 captures: an administrator does not let this device add to the library",
            "tintypectl device decide \(prefix(device)) --as add-only", "1 capture: later-invented",
            "1 picked asset, ends in 1 h", "tintypectl picker end",
            "1 refused change", "1 capture, 2 changes",
            "tintypectl device decide \(prefix(device)) --as selected",
        ] {
            #expect(shown.output.contains(words), "\(words) is not in \(shown.output)")
        }
        #expect(!shown.output.contains("\u{1B}"))
        let short = String(device.id.description.prefix(9))
        let named = await CommandRunner(library: library).run(["device", "show", short])
        #expect(named.status == 0 && named.output.contains("\(device.id)"), "\(short): \(named.notes)")
    }

    @Test("the inbox has devices that want in, levels and selections, and names the command for the first")
    func inbox() async throws {
        var new = Samples.device(1, state: .pending)
        new.usage = UsageTexts(add: "Saves the gate", readWrite: "Shows the gate")
        let known = Samples.device(2)
        let level = AccessRequestSummary(
            deviceID: known.id,
            deviceName: known.name,
            keyFingerprint: known.keyFingerprint,
            level: "readWrite",
            usage: "Shows photos",
            openedAt: Samples.now,
            expiresAt: Samples.now.advanced(by: .seconds(3600))
        )
        let more = ExpansionSummary(
            id: ExpansionID(rawValue: 7),
            deviceID: known.id,
            deviceName: known.name,
            reason: "the summer",
            openedAt: Samples.now,
            expiresAt: Samples.now.advanced(by: .seconds(3600))
        )
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [new, known]))
        try library.answer(
            "GET /v1/admin/requests",
            with: AccessRequestPage(requests: [level], expansions: [more])
        )
        let shown = await CommandRunner(library: library).run(["request", "list"])
        let rows = shown.output.split(separator: "\n").dropFirst()
        #expect(rows.count == 3 && rows.allSatisfy { $0.hasPrefix(prefix(new)) || $0.hasPrefix(prefix(known)) })
        #expect(shown.output.contains("to be let in") && shown.output.contains("more photos"))
        #expect(shown.output.contains("to save: Saves the gate; to read: Shows the gate"), "\(shown.output)")
        #expect(shown.notes.hasPrefix("next: tintypectl device approve \(prefix(new)) --as add-only"))
        let quiet = await CommandRunner(library: library).run(["request", "list", "--quiet"])
        #expect(quiet.output == "\(new.id)\n\(known.id)\n\(known.id)\n")
    }

    @Test("a limited device is shown with its question for more")
    func shownExpansion() async throws {
        let device = Samples.device(1, readWrite: .limited)
        let open = ExpansionSummary(
            id: ExpansionID(rawValue: 7),
            deviceID: device.id,
            deviceName: device.name,
            reason: "the summer",
            openedAt: Samples.now,
            expiresAt: Samples.now.advanced(by: .seconds(3600))
        )
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device]))
        try library.answer("GET /v1/admin/devices/\(device.id)", with: device)
        try library.answer("GET /v1/admin/picker-sessions", with: PickDocumentPage(sessions: []))
        try library.answer("GET /v1/admin/requests", with: AccessRequestPage(requests: [], expansions: [open]))
        let shown = await CommandRunner(library: library).run(["device", "show", prefix(device)])
        for words in ["the summer; tintypectl request expand \(prefix(device))", "\(open.id)"] {
            #expect(shown.output.contains(words), "\(words) is not in \(shown.output) \(shown.notes)")
        }
    }

    @Test("a question for more is answered with what joins, or refused; not with nothing at all")
    func expansion() async throws {
        let device = Samples.device(1, readWrite: .limited)
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device]))
        try library.answer("POST /v1/admin/requests/expansions/\(device.id)", with: device)
        let runner = CommandRunner(library: library)
        let words = ["request", "expand", prefix(device)]
        #expect(await runner.run(words).status == 64)
        #expect(await runner.run(words + ["--refuse"]).status == 0)
        #expect(try sent(ExpansionDecision.self) == ExpansionDecision(assets: [], rules: [], grantedAlbums: []))
        #expect(await runner.run(words + ["--rule", #""favorites""#, "--reason", "frame"]).status == 0)
        #expect(try sent(ExpansionDecision.self).rules == [.favorites])
    }

    @Test("what a suspect sent whole is committed in its name, after a question")
    func suspects() async throws {
        let device = Samples.device(1, state: .suspect)
        let photo = Samples.livePhoto().asset
        let uploads = photo.resources.map { resource in
            UploadStatus(
                id: UploadID(rawValue: resource.id.rawValue),
                resourceID: resource.id,
                offset: resource.byteCount,
                length: resource.byteCount,
                isComplete: true,
                expires: Samples.now.advanced(by: .seconds(86_400))
            )
        }
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device]))
        try library.answer(
            "GET /v1/admin/devices/\(device.id)/uploads",
            with: PendingUploadPage(assets: [.init(manifest: AssetManifest(photo), uploads: uploads)])
        )
        let runner = CommandRunner(library: library)
        let listed = await runner.run(["device", "uploads", prefix(device)])
        #expect(listed.output.contains("whole, 4.9 KiB"))
        #expect(listed.notes.contains("tintypectl device commit \(prefix(device)) \(photo.id)"))
        let words = ["device", "commit", prefix(device), "\(photo.id)"]
        #expect(await runner.run(words).status == 64)
        _ = await runner.run(words + ["--yes"])
        #expect(library.requests.last?.line == "POST /v1/admin/devices/\(device.id)/uploads/\(photo.id)/commit")
    }

    @Test("lint finds rights without a reason, unused ones, selections of everything, twins and wide tokens")
    func lint() throws {
        let linter = GrantLinter(now: Samples.now, unused: .seconds(86_400))
        var reader = Samples.device(1, readWrite: .authorized)
        let unreasoned = linter.findings(in: reader, selection: nil)
        #expect(unreasoned.map(\.finding) == ["may read, and gave no reason"])
        #expect(unreasoned.map(\.next) == ["tintypectl device decide \(prefix(reader)) --as add-only"])
        reader.usage.readWrite = "Shows photos."
        #expect(linter.findings(in: reader, selection: nil).isEmpty)
        reader.lastSeen = Samples.now.advanced(by: .seconds(-100_000))
        #expect(linter.findings(in: reader, selection: nil).first?.finding.contains("unused since 27 h ago") == true)
        (reader.lastSeen, reader.firstSeen) = (nil, Samples.now.advanced(by: .seconds(-100_000)))
        let silent = linter.findings(in: reader, selection: nil).map(\.finding)
        #expect(silent == ["its rights are unused: it never made contact"])
        reader.lastSeen = Samples.now
        (reader.usesNotedSince, reader.changedAt) = (reader.firstSeen, reader.firstSeen)
        let hasty = GrantLinter(now: Samples.now, unused: .seconds(43_200))
        let idle = hasty.findings(in: reader, selection: nil).map(\.finding)
        #expect(idle == ["has neither read nor added anything in 12 h"])
        var limited = Samples.device(2, readWrite: .limited)
        limited.usage.readWrite = "Shows photos."
        for rule in [AssetFilter.all([]), .any([.favorites, .all([])]), .captured(.init())] {
            #expect(linter.findings(in: limited, selection: Selection(rules: [rule])).count == 1)
        }
        #expect(linter.findings(in: limited, selection: Selection(rules: [.favorites])).isEmpty)
        #expect(linter.findings(in: Samples.device(3, state: .suspect), selection: nil).count == 1)
        #expect(linter.findings(in: Samples.device(4, state: .revoked), selection: nil).isEmpty)
        var request = EnrollmentTokenRequest(maximum: "readWrite", uses: 500, expiresSeconds: 86_400)
        func token(_ lifetime: Int64) -> EnrollmentTokenSummary {
            EnrollmentTokenSummary(
                id: EnrollmentTokenID(rawValue: 5),
                request: request,
                usesLeft: request.uses,
                expires: Samples.now.advanced(by: .seconds(lifetime)),
                createdBy: "uid:0",
                created: Samples.now
            )
        }
        #expect(linter.findings(in: token(60 * 86_400)).count == 3)
        #expect(linter.findings(in: token(-1)).isEmpty)
        request = EnrollmentTokenRequest(maximum: "addOnly", uses: 1, expiresSeconds: 86_400)
        #expect(linter.findings(in: token(3600)).isEmpty)
    }

    @Test(
        "004.4, 004.84, 004.88: lint goes by what a device did with a level since it was allowed, not by its contacts",
        arguments: [
            // Days since anything was noted, since it last added and last read; what is found.
            (40, 2, nil, "has not used readWrite in 30 days: saves only"), (40, 2, 31, "saves only"), (40, 2, 29, nil),
            (40, 31, 2, nil), (29, 2, nil, nil), (nil, 2, nil, nil), (40, nil, nil, "neither read nor added"),
        ] as [(Int?, Int?, Int?, String?)]
    )
    func unusedLevels(noted: Int?, added: Int?, read: Int?, finding: String?) throws {
        func days(_ count: Int?) -> WallTime? {
            count.map { Samples.now.advanced(by: .seconds(-86_400 * Int64($0))) }
        }
        let linter = GrantLinter(now: Samples.now, unused: .seconds(30 * 86_400))
        var device = Samples.device(1, readWrite: .authorized)
        device.usage.readWrite = "Shows photos."
        (device.usesNotedSince, device.lastAdded, device.lastRead) = (days(noted), days(added), days(read))
        device.changedAt = Samples.now
        #expect(linter.findings(in: device, selection: nil).isEmpty, "what was allowed just now need not be used yet")
        device.changedAt = Samples.now.advanced(by: .seconds(-86_400 * 60))
        let found = linter.findings(in: device, selection: nil)
        #expect(found.count == (finding == nil ? 0 : 1))
        if let finding {
            #expect(found.first?.finding.contains(finding) == true, "\(found)")
            let saves = finding.hasSuffix("saves only")
            let next = saves ? "decide \(prefix(device)) --as add-only" : "show \(prefix(device))"
            #expect(found.first?.next == "tintypectl device \(next)")
        }
        device.authorization.readWrite = .denied
        let saving = linter.findings(in: device, selection: nil).map(\.finding)
        #expect(saving == (noted == 40 && added != 2 ? ["has not added anything in 30 days"] : []))
    }

    @Test("jobs are listed by page, paused and tried again; a page names the next one")
    func jobs() async throws {
        let job = JobSummary(
            id: JobID(rawValue: 4),
            digest: try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32))),
            state: .dead,
            priority: 0,
            attempts: 5,
            workerDeaths: 0,
            due: Samples.now,
            reason: "no picture\u{7}"
        )
        let page = JobPage(jobs: [job], next: job.id, isPaused: true, counts: ["dead": 1])
        try library.answer("GET /v1/admin/jobs?limit=100&state=dead", with: page)
        try library.answer("POST /v1/admin/jobs/pause", with: page)
        try library.answer("POST /v1/admin/jobs/retry", with: JobCount(count: 2))
        try library.answer("POST /v1/admin/jobs/4/retry", with: JobCount(count: 1))
        let runner = CommandRunner(library: library)
        let listed = await runner.run(["jobs", "list", "--state", "dead"])
        #expect(listed.output.contains(#"no picture\u{7}"#))
        #expect(listed.notes.contains("--after 4") && listed.notes.contains("jobs resume"))
        #expect(await runner.run(["jobs", "pause"]).output == "Paused; 1 dead.\n")
        #expect(await runner.run(["jobs", "retry"]).output == "2 jobs retried.\n")
        #expect(await runner.run(["jobs", "retry", "4", "--quiet"]).output == "1\n")
        #expect(await runner.run(["jobs", "retry", "0"]).status == 64)
    }
}
