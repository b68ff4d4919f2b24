import LibraryAPI
import PhotoModel
import Terminal

extension Asset {
    private static let subtypeNames: [(subtype: MediaSubtypes, name: String)] = [
        (.photoPanorama, "panorama"), (.photoScreenshot, "screenshot"), (.videoHighFrameRate, "slow motion"),
        (.videoTimelapse, "time-lapse"), (.videoScreenRecording, "screen recording"),
        (.videoCinematic, "cinematic video"),
    ]

    /// Its kind, for people.
    var kindName: String {
        if isLivePhoto || captureFacts?.isLivePhotoIncomplete ?? false { return mediaName }
        return Self.subtypeNames.first { mediaSubtypes.contains($0.subtype) }?.name ?? mediaName
    }

    /// Its main kind.
    var mediaName: String {
        switch (mediaType, isLivePhoto) {
        case (.image, true): "live photo"
        case (.image, false) where captureFacts?.isLivePhotoIncomplete ?? false: "live photo without movie"
        case (.image, false): "image"
        case (.video, _): "video"
        case (.audio, _): "audio"
        default: "unknown"
        }
    }

    /// How long ago it was captured; beyond two months the day at its place.
    func captureAge(now: WallTime) -> String {
        Wording.relative(captureDate, now: now, utcOffsetSeconds: utcOffsetSeconds)
    }

    /// The bytes of all its files.
    var byteCount: Int64 {
        resources.reduce(0) { total, resource in
            let (sum, overflowed) = total.addingReportingOverflow(resource.byteCount)
            return overflowed ? .max : sum
        }
    }

    /// Its display name; empty if it has none.
    var displayName: String { title ?? primaryResource?.originalFilename?.displayText ?? "" }
}

extension Report {
    static func assets(_ page: AssetPage, now: WallTime) -> Report {
        let table = Table(
            columns: [
                .init("ASSET"), .init("KIND"), .init("CAPTURED"), .init("PIXELS", isOptional: true),
                .init("SIZE", isNumeric: true, isOptional: true),
                .init("NAME", isFlexible: true),
            ],
            rows: page.assets.map { asset in
                [
                    Cell("\(asset.id)"), Cell(asset.kindName), Cell(asset.captureAge(now: now)),
                    Cell(asset.pixelSize?.description ?? ""), Cell(Wording.byteCount(asset.byteCount)),
                    Cell(asset.displayName),
                ]
            },
            ifEmpty: "No assets."
        )
        var report = Report(wire: page, identifiers: page.assets.map(\.id.description), content: .table(table))
        if let next = page.next { report.next = ["the same command with --cursor \(next), or with --all"] }
        return report
    }

    /// One asset with its files.
    static func asset(_ asset: Asset, now: WallTime) -> Report {
        var fields = [
            Field("Asset", Cell("\(asset.id)")),
            Field("Kind", Cell(asset.kindName)),
            Field("Captured", Cell("\(asset.civilCaptureTime) (\(asset.captureAge(now: now)))")),
        ]
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { fields.append(Field(name, Cell(value))) }
        }
        let (source, isSynchronized) = (asset.captureTime.source, asset.captureTime.isSynchronized)
        // Nobody knows whether the clock behind a file's date was right.
        let isFromFile = source == .fileMetadata || source == .fileModification
        add("Clock", isSynchronized || isFromFile ? nil : "not synchronised (\(source.rawValue))")
        add("Added", asset.additionDate.map { Wording.relative($0, now: now) })
        add("Device", asset.deviceID?.description ?? "an operator")
        add("Title", asset.title)
        add("Caption", asset.caption)
        add("Keywords", asset.keywords.map(\.text).sorted().joined(separator: ", "))
        add("Rating", asset.rating == .unrated ? nil : "\(asset.rating.rawValue) of 5")
        add("Favourite", asset.isFavorite ? "yes" : nil)
        add("Hidden", asset.isHidden ? "yes" : nil)
        add("In the trash", asset.trashedAt.map { "since \(Wording.relative($0, now: now))" })
        add("Pixels", asset.pixelSize?.description)
        add("Masked", asset.captureFacts?.mask.map { "\($0) is black, as the box's settings say" })
        add("Place", asset.placeName)
        add("Albums", asset.albums.map(\.description).sorted().joined(separator: ", "))
        for resource in asset.resources {
            let name = resource.originalFilename?.displayText ?? "no name"
            let size = Wording.byteCount(resource.byteCount)
            add("File", "\(name) (\(resource.contentType), \(size)), SHA-256 \(resource.digest)")
        }
        return Report(wire: asset, identifiers: [asset.id.description], content: .record(fields))
    }
}
