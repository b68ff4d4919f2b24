import MediaFiles
import PhotoModel
import Terminal

extension CommonOptions {
    /// Shows the result of an import.
    ///
    /// - Throws: `failed` if files or sidecars could not be imported.
    func show(_ report: FileUploader.Report) throws {
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
        add("Special files", report.specialFiles, "FIFO or device", "skipped")
        for (label, remarks, style) in report.remarks {
            fields += remarks.map { Report.Field(label, Cell("\($0.path): \($0.reason)", style)) }
        }
        let unused = report.late + report.unreadable
        let identifiers = (report.failed + unused).map(\.path)
        try show(Report(wire: report, identifiers: identifiers, content: .record(fields)))
        guard report.failed.isEmpty else {
            throw AdminError(
                "\(Wording.count(report.failed.count, "file")) could not be imported.",
                next: "fix what is named above, and run the same command again: it resumes"
            )
        }
        guard unused.isEmpty else {
            throw AdminError(
                "\(Wording.count(unused.count, "sidecar")) could not be applied.",
                next: "follow the remark on each: nothing is added to an asset that the library has"
            )
        }
    }

    /// Reports on standard error what an import would skip or change.
    func tell(_ report: FileUploader.Report) {
        for (label, remarks, _) in report.remarks {
            for remark in remarks { session.note("\(label): \(InertText("\(remark.path): \(remark.reason)"))\n") }
        }
    }
}

extension FileUploader.Report {
    /// Remarks on files, with their severity.
    fileprivate var remarks: [(label: String, remarks: [Remark], style: Cell.Style)] {
        [
            ("Separate", separate, .plain), ("Damaged, but imported", damaged, .plain),
            ("Without a photo", orphans, .plain), ("Left behind", leftBehind, .plain),
            ("Not applied", late + unreadable, .bad), ("Failed", failed, .bad),
        ]
    }
}

extension Report {
    /// What an import of files would add.
    static func importable(_ collection: MediaCollection, keepsAlbums: Bool) -> Report {
        struct Item: Encodable {
            let path: String
            let movie: String?
            let raw: String?
            let sidecar: String?
            let edit: String?
            let albums: [String]
            let byteCount: Int64
        }
        let items = collection.groups.map { group in
            Item(
                path: group.primary.file.displayPath,
                movie: group.movie?.file.displayPath,
                raw: group.raw?.file.displayPath,
                sidecar: group.sidecar?.displayPath,
                edit: group.edit?.file.displayPath,
                albums: keepsAlbums ? group.albums : [],
                byteCount: group.byteCount
            )
        }
        let table = Table(
            columns: [
                .init("KIND"), .init("SIZE", isNumeric: true), .init("ALBUMS", isFlexible: true, isOptional: true),
                .init("FILE", isFlexible: true),
            ],
            rows: zip(collection.groups, items).map { group, item in
                [
                    Cell(group.movie == nil ? group.primary.kind.contentType : "live photo"),
                    Cell(Wording.byteCount(item.byteCount)), Cell(item.albums.joined(separator: ", ")),
                    Cell(item.path),
                ]
            },
            ifEmpty: "No media found."
        )
        return Report(wire: items, identifiers: items.map(\.path), content: .table(table))
    }

    /// What an import from an Immich server would add.
    static func importable(_ candidates: [ImmichUpload.Candidate]) -> Report {
        let table = Table(
            columns: [
                .init("KIND"), .init("ALBUMS", isFlexible: true, isOptional: true), .init("ASSET", isFlexible: true),
            ],
            rows: candidates.map { [Cell($0.kind), Cell($0.albums.joined(separator: ", ")), Cell($0.path)] },
            ifEmpty: "Immich shows nothing to import."
        )
        return Report(wire: candidates, identifiers: candidates.map(\.path), content: .table(table))
    }
}
