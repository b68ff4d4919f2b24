import ArgumentParser
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Terminal

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "export",
        "Writes originals as plain files into a folder on this machine.",
        """
        Every file is verified by its digest. Files that somebody else put there are never replaced. Run again, it \
        continues where it ended, and adds what is new. Live Photos are a still and a movie with the same name, \
        which Apple Photos and Immich import as a pair; titles, captions, keywords and stars are in XMP sidecars.

        With --follow it keeps running and writes each change as it happens: a mirror for a NAS, rclone or another \
        gallery. After a restart it resumes; --once ends when it has caught up, for a timer. Files keep their \
        first names even if the asset's date, title or album changes. Files of assets that leave the library, the \
        filter or the album stay; --delete deletes those that the export wrote and nobody changed.

        TEMPLATE
          {year} {month} {day} {hour} {minute} {second}
          {device} {album} {name} {kind} {id}
        """,
        examples: [
            "tintypectl export /mnt/usb/photos",
            "tintypectl export /mnt/usb/gate --album Gate --template '{album}/{year}-{month}-{day}/{name}'",
            "tintypectl export ./week --since 7d --motion-photo --json",
            "tintypectl export /mnt/nas/back --template '{id}' --own-names",
            "tintypectl export /mnt/nas/mirror --follow --delete",
        ]
    )

    @Argument(help: "The folder; created if missing.", completion: .directory)
    var folder: String

    @OptionGroup var conditions: AssetConditions

    @Flag(help: "Includes hidden assets.")
    var hidden = false

    @Flag(help: "Keeps running, and writes each change of the library.")
    var follow = false

    @Flag(help: "With --follow: ends once the folder is up to date.")
    var once = false

    @Flag(help: "With --follow: deletes exported files that the library no longer has.")
    var delete = false

    @OptionGroup var form: ExportForm
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard follow || !once && !delete else { throw ValidationError("--once and --delete go with --follow.") }
        guard !follow || !form.ownNames else {
            throw ValidationError("--follow writes no files under their --own-names.")
        }
    }

    func run() async throws {
        let client = try common.client()
        let options = FetchOptions(
            filter: try await conditions.filter(client: client, now: common.session.now()),
            sortDescriptors: [.init(key: .captureDate, isAscending: true)],
            includesHidden: hidden,
            includesAllBurstAssets: true
        )
        if follow {
            return try await form.follow(to: folder, from: client, options, common, isOnce: once, deletes: delete)
        }
        try await form.export(to: folder, from: client, common) { body in
            try await client.pages(of: AssetQuery(options: options, limit: APILimits.pageAssetCount), body)
        }
    }
}

struct AssetExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "export",
        "Writes some assets' originals as plain files; tintypectl export writes by filter.",
        examples: [
            "tintypectl asset export 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60 --to ./photos",
            #"tintypectl asset list --text "red car" --all --quiet |"#,
            "  xargs tintypectl asset export --to ./cars",
        ]
    )

    @OptionGroup var assets: AssetArguments

    @Option(help: .value("folder", "The folder; created if missing."), completion: .directory)
    var to: String

    @OptionGroup var form: ExportForm
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        try await form.export(to: to, from: client, common) { body in
            for id in assets.assets { try await body([try await client.asset(id)]) }
        }
    }
}

struct ExportForm: ParsableArguments {
    @Option(help: .value("path", "Where each asset's files go below the folder."))
    var template = ExportTemplate.standard

    @Flag(help: "Live Photos as one file each (Motion Photo), if their still is JPEG, HEIC or AVIF.")
    var motionPhoto = false

    @Flag(inversion: .prefixedNo, help: "Whether to write texts and ratings into XMP sidecars.")
    var sidecars = true

    @Flag(
        help: """
            Each original under its exact original name, byte for byte, in a folder per asset instead of the \
            template's last name; without sidecars.
            """
    )
    var ownNames = false

    /// Iterates over assets, page by page.
    typealias Walk = (_ body: ([Asset]) async throws -> Void) async throws -> Void

    /// Writes assets into a folder, with a progress bar on a terminal, and reports the result; `walk` is called twice,
    /// first to determine the total.
    func export(to folder: String, from client: LibraryClient, _ common: CommonOptions, _ walk: Walk) async throws {
        let session = common.session
        let names = try await ExportNames(client)
        let exporter = try Exporter(client, into: Path(folder), in: session.fileSystem)
        var total = (assets: 0, bytes: Int64(0))
        try await walk { page in
            for asset in page {
                total.assets += 1
                total.bytes += plan(asset).byteCount
            }
        }
        var bar = ProgressLine(session, common.output.format)
        let began = session.now()
        var done = (assets: 0, bytes: Int64(0))
        try await walk { page in
            for asset in page {
                let plan = plan(asset)
                let path = template.path(of: asset, device: names.device(of: asset), album: names.album(of: asset))
                if ownNames {
                    try await exporter.exportOwnNames(asset, plan, to: path)
                } else {
                    try await exporter.export(asset, plan, to: path)
                }
                done.assets += 1
                done.bytes += plan.byteCount
                bar.show(done.bytes, of: total.bytes, things: (done.assets, total.assets, "asset"), since: began)
            }
        }
        bar.clear()
        try show(exporter.report, done.assets, common)
    }

    private func plan(_ asset: Asset) -> ExportPlan {
        ExportPlan(asset, isMotionPhoto: motionPhoto && !ownNames, hasSidecar: sidecars && !ownNames)
    }

    /// Keeps a folder in sync with the library, and reports after each round; unless it is to end once the folder is up
    /// to date, an unreachable library is retried.
    func follow(
        to folder: String,
        from client: LibraryClient,
        _ options: FetchOptions,
        _ common: CommonOptions,
        isOnce: Bool,
        deletes: Bool
    ) async throws {
        let session = common.session
        let exporter = try Exporter(client, into: Path(folder), in: session.fileSystem)
        var follower = try await ExportFollower(
            client,
            exporter,
            into: Path(folder),
            options,
            deletes: deletes,
            in: session.fileSystem
        ) { [self] asset, names, exporter in
            let path = template.path(of: asset, device: names.device(of: asset), album: names.album(of: asset))
            try await exporter.export(asset, plan(asset), to: path, deletesRest: deletes)
        }
        while true {
            do {
                try await follower.catchUp(waits: !isOnce)
            } catch let error as LibraryClientError where !isOnce && error.retry == .after {
                session.note("\(InertText(AdminError(error).message)) Retrying.\n")
                try await session.sleep(.seconds(max(10, error.problem?.retryAfterSeconds ?? 0)))
                continue
            }
            let report = exporter.takeReport()
            if isOnce { return try show(report, nil, common) }
            guard report != Exporter.Report() else { continue }
            session.output(try Renderer.line(report) + "\n")
            if !report.failed.isEmpty { try await session.sleep(.seconds(60)) }
        }
    }

    private func show(_ report: Exporter.Report, _ assetCount: Int?, _ common: CommonOptions) throws {
        var fields = assetCount.map { [Report.Field("Assets", Cell("\($0)"))] } ?? []
        fields += [
            Report.Field(
                "Written",
                Cell("\(Wording.count(report.written, "file")), \(Wording.byteCount(report.writtenBytes))")
            ),
            Report.Field("There already", Cell(Wording.count(report.unchanged, "file"))),
        ]
        if report.updated > 0 { fields.append(.init("Updated", Cell("\(report.updated)"))) }
        if report.removed > 0 { fields.append(.init("Deleted", Cell(Wording.count(report.removed, "file")))) }
        for failure in report.failed {
            fields.append(.init("Failed", Cell("\(failure.path): \(failure.reason)", .bad)))
        }
        try common.show(Report(wire: report, identifiers: report.failed.map(\.path), content: .record(fields)))
        guard report.failed.isEmpty else {
            throw AdminError(
                "\(Wording.count(report.failed.count, "file")) could not be written.",
                next: "fix what is named above, and run the same command again: it resumes"
            )
        }
    }
}

/// The names available to templates.
struct ExportNames {
    private let devices: [DeviceID: String]
    private let albums: [AlbumID: String]

    /// Fetches devices' names and albums' titles.
    init(_ client: LibraryClient) async throws {
        // One that changes while pages are fetched may come twice.
        devices = Dictionary(try await client.devices().map { ($0.id, $0.name) }) { $1 }
        albums = Dictionary(try await client.albums().map { ($0.album.id, $0.album.title) }) { $1 }
    }

    /// The name of an asset's device, or its identifier if the device no longer exists.
    func device(of asset: Asset) -> String? { asset.deviceID.map { devices[$0] ?? "\($0)" } }

    /// The first title of an asset's albums.
    func album(of asset: Asset) -> String? { asset.albums.compactMap { albums[$0] }.min() }
}
