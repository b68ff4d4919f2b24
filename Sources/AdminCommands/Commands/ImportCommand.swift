import ArgumentParser
import LibraryAPI
import LibraryClient
import MediaFiles
import Persistence
import PhotoModel
import Terminal

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Brings photos and movies from files or folders of this machine into the library.",
        discussion: """
            A still and a movie that belong together are one Live Photo, a photo and its raw form of one name are one \
            photo; XMP sidecars bring titles, captions, keywords and stars. Folders of originals of Immich and \
            PhotoPrism are understood as they are, and so is what tintypectl export wrote. What the library has is known \
            by its bytes: the same folder may be imported again, and a run that was ended goes on. What comes only after \
            its photo was taken is told: a movie or raw form is then an asset of its own, a sidecar is not taken up. \
            Files stay where they are. Hidden files, whose names begin with a dot, are left out unless they are named \
            themselves. Links in a folder are not followed, neither to files nor to folders, and are counted; a link \
            that is named itself stands for what it leads to.

            EXAMPLES
              tintypectl import /media/card/DCIM
              tintypectl import /srv/immich/library --album "From Immich"
              tintypectl import ./photos --dry-run --json
            """
    )

    @Argument(help: "Files or folders.", completion: .file())
    var paths: [String]

    @Option(help: ArgumentHelp("The album that they join, made when missing.", valueName: "title"), completion: .albums)
    var album: String?

    @Flag(help: "Says what would be taken, and sends nothing.")
    var dryRun = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let album, !(1...Album.maximumTitleByteCount).contains(album.utf8.count) {
            throw ValidationError("A title has 1 to \(Album.maximumTitleByteCount) bytes of UTF-8.")
        }
    }

    func run() async throws {
        let session = common.session
        let client = try common.client()
        var collection = MediaCollection(in: session.fileSystem)
        try collection.add(named: paths.map { Path($0) })
        collection.joinPairs()
        if dryRun { return try common.show(.importable(collection)) }
        let uploader = FileUploader(
            client: client,
            fileSystem: session.fileSystem,
            album: album.map { .title($0) }
        )
        var report = FileUploader.Report(collection)
        var bar = ProgressLine(session, common.output.format)
        let began = session.now()
        let total = collection.groups.reduce(Int64(0)) { $0 + $1.byteCount }
        var doneBytes: Int64 = 0
        for (index, group) in collection.groups.enumerated() {
            try await uploader.take(group, &report)
            doneBytes += group.byteCount
            bar.show(
                ProgressBar(
                    doneBytes: doneBytes,
                    of: total,
                    things: (index + 1, collection.groups.count, "asset"),
                    elapsed: session.now().duration(since: began)
                )
            )
        }
        bar.clear()
        try show(report)
    }

    private func show(_ report: FileUploader.Report) throws {
        var fields = [
            Report.Field(
                "New",
                Cell("\(Wording.count(report.added, "asset")), \(Wording.byteCount(report.addedBytes))")
            ),
            Report.Field("Known", Cell(Wording.count(report.known, "asset"))),
            Report.Field("No media", Cell(Wording.count(report.skipped, "file"))),
        ]
        func add(_ label: String, _ count: Int, _ noun: String, _ words: String) {
            guard count > 0 else { return }
            fields.append(Report.Field(label, Cell("\(Wording.count(count, noun)), \(words)")))
        }
        add("Links", report.links, "link", "not followed")
        add("Special files", report.specialFiles, "FIFO or device", "passed over")
        func add(_ label: String, _ remarks: [FileUploader.Report.Remark], _ style: Cell.Style) {
            fields += remarks.map { Report.Field(label, Cell("\($0.path): \($0.reason)", style)) }
        }
        add("By itself", report.separate, .plain)
        add("Damaged, but taken", report.damaged, .plain)
        add("Without a photo", report.orphans, .plain)
        add("Not taken up", report.late + report.unreadable, .bad)
        add("Failed", report.failed, .bad)
        let unused = report.late + report.unreadable
        let identifiers = (report.failed + unused).map(\.path)
        try common.show(Report(wire: report, identifiers: identifiers, content: .record(fields)))
        guard report.failed.isEmpty else {
            throw AdminError(
                "\(Wording.count(report.failed.count, "file")) could not be taken.",
                next: "mend what is named, and run the same command again: it goes on"
            )
        }
        guard unused.isEmpty else {
            throw AdminError(
                "\(Wording.count(unused.count, "sidecar")) could not be taken up.",
                next: "do what is said of each: nothing is added to an asset that the library has"
            )
        }
    }
}

extension Report {
    /// What an import would take.
    fileprivate static func importable(_ collection: MediaCollection) -> Report {
        struct Item: Encodable {
            let path: String
            let movie: String?
            let raw: String?
            let sidecar: String?
            let byteCount: Int64
        }
        let items = collection.groups.map { group in
            Item(
                path: group.primary.file.displayPath,
                movie: group.movie?.file.displayPath,
                raw: group.raw?.file.displayPath,
                sidecar: group.sidecar?.displayPath,
                byteCount: group.byteCount
            )
        }
        let table = Table(
            columns: [.init("KIND"), .init("SIZE", isNumeric: true), .init("FILE", isFlexible: true)],
            rows: zip(collection.groups, items).map { group, item in
                [
                    Cell(group.movie == nil ? group.primary.kind.contentType : "live photo"),
                    Cell(Wording.byteCount(item.byteCount)), Cell(item.path),
                ]
            },
            ifEmpty: "Nothing there is media."
        )
        return Report(wire: items, identifiers: items.map(\.path), content: .table(table))
    }
}
