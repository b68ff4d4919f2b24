import Authorization
import LibraryAPI
import PhotoModel
import Terminal
import Testing

@testable import AdminCommands

struct TableWidthTests {
    private static let long = String(repeating: "a long word ", count: 12)

    private static var devices: [DeviceSummary] {
        [Samples.device(1, name: long, state: .pending), Samples.device(2, name: "日本語", readWrite: .limited)]
    }

    private static var reports: [(name: String, report: Report)] {
        let now = Samples.now
        var asset = Samples.livePhoto().asset
        asset.title = long
        asset.pixelSize = PixelSize(width: 12_000, height: 10_000)
        let operators = OperatorSummary(
            id: OperatorCertificateID(rawValue: 1),
            name: "ada",
            keyFingerprint: devices[0].keyFingerprint,
            expires: now,
            createdBy: long,
            created: now
        )
        let upload = UploadStatus(
            id: UploadID(rawValue: 1),
            resourceID: ResourceID(rawValue: 1),
            offset: 1 << 40,
            length: 1 << 41,
            isComplete: false,
            expires: now
        )
        let pick = PickDocument(
            id: PickerSessionID(rawValue: 1),
            caller: long,
            deviceID: nil,
            code: "WDJB-MJHT",
            request: PickerRequest(purpose: long),
            strip: [.location],
            encoding: .current,
            state: .open,
            picked: [],
            created: now,
            expires: now
        )
        let page = AssetPage(assets: [asset])
        return [
            ("assets", .assets(page, now: now)),
            ("operators", .operators(OperatorPage(operators: [operators]), now: now)),
            (
                "uploads",
                .uploads(
                    PendingUploadPage(assets: [.init(manifest: AssetManifest(asset), uploads: [upload])]),
                    now: now
                )
            ),
            ("pickers", .pickers(PickDocumentPage(sessions: [pick]), now: now)),
            ("policy", .policy(CeilingPolicy(ceilings: [CeilingRule(name: long, limit: "readWrite")]))),
            ("selection", .selection(.init(rules: [.text(long)]))),
        ]
    }

    @Test("every table fits a terminal of 80 columns, and shows all it has on one of 200", arguments: [80, 200])
    func widths(columnCount: Int) throws {
        let renderer = Renderer(format: .people, terminal: TerminalTraits(columnCount: columnCount))
        for (name, report) in Self.reports {
            let lines = try renderer.text(of: report).split(separator: "\n")
            for line in lines { #expect(InertText(String(line)).width <= columnCount, "\(name): \(line)") }
            guard case .table(let table) = report.content, columnCount == 200 else { continue }
            for column in table.columns { #expect(lines[0].contains(column.title), "\(name) lacks \(column.title)") }
        }
    }

    @Test("a record's long values are wrapped below themselves; a digest stays whole to be copied")
    func records() throws {
        let digest = Self.devices[0].keyFingerprint.description
        let report = Report(
            wire: "",
            identifiers: [],
            content: .record([.init("Reason", Cell(Self.long)), .init("Digest", Cell(digest))])
        )
        let renderer = Renderer(format: .people, terminal: TerminalTraits(columnCount: 40))
        let lines = try renderer.text(of: report).split(separator: "\n")
        #expect(lines.dropLast().allSatisfy { $0.count <= 40 })
        #expect(lines[1].hasPrefix("         ") && lines.last?.hasSuffix(digest) == true)
    }
}
