import LibraryAPI
import MediaFiles
import Persistence
import PhotoModel

/// A shot whose process ended while taking it: its folder in the spool is completed or discarded.
///
/// A recorder's file has its digest in its name, so a still with those bytes is complete. It becomes an asset with its
/// raw samples and its movie, or an incomplete Live Photo; a folder without a still was never reported to anybody. It
/// is safe to repeat after an interruption.
struct InterruptedShot {
    let asset: AssetID
    let folder: Path
    /// What was known before the shutter; nil if power was lost before that was durable.
    let begun: EntryRecord?
    /// The album of a shot without a record.
    let album: String?
    let fileSystem: any FileSystem

    /// Names the files as the asset's resources and describes it, or returns nil without a still; does not sync.
    ///
    /// - Throws: `PersistenceError` if the files cannot be read or renamed now.
    func complete() throws -> EntryRecord? {
        let files = try files()
        let photos = files.filter { $0.kind.type == .photo }
        guard let still = photos.first(where: { !$0.kind.isRaw }) ?? photos.first else { return nil }
        let raw = photos.first { $0.kind.isRaw && $0.path != still.path }
        let movie = files.first { $0.kind.type == .video }
        var record = begun ?? unknown(still)
        // Before the files lose the names that identify their shot.
        if begun == nil { try record.write(into: folder, in: fileSystem) }
        record.isIncompleteLivePhoto = record.isIncompleteLivePhoto && movie == nil
        describe(&record, still, movie)
        let parts: [(MediaFile?, AssetResourceType)] = [(still, .photo), (raw, .alternatePhoto), (movie, .pairedVideo)]
        for (file, type) in parts {
            guard let file else { continue }
            let content = try ContentHasher.digest(file.path, in: fileSystem)
            let resource = AssetResource(
                id: .derived(from: content.digest),
                type: type,
                digest: content.digest,
                byteCount: content.byteCount,
                contentType: file.kind.contentType,
                originalFilename: FileName(file.path.name)
            )
            try fileSystem.place(file.path, at: folder.appending(AgentStore.fileName(of: resource)))
            record.manifest.resources.append(resource)
        }
        try record.claim(folder, in: fileSystem)
        return record
    }

    /// Photos and movies with a name; the recorder's first.
    private func files() throws -> [MediaFile] {
        try fileSystem.list(folder).filter { name in
            begun == nil ? name.hasPrefix("\(asset).") : !name.hasPrefix(".") && name != EntryRecord.fileName
        }.compactMap { name in
            do {
                guard try fileSystem.hasNamedBytes(folder.appending(name)) else { return nil }
                return try MediaFile(folder.appending(name), in: fileSystem)
            } catch let error as PersistenceError where error.code == .damaged {
                // An unfinished sealed copy.
                return nil
            }
        }
    }

    private func unknown(_ still: MediaFile) -> EntryRecord {
        var manifest = AssetManifest(
            id: asset,
            mediaType: .image,
            captureTime: still.captureTime,
            desiredAlbum: album.map { .title($0) },
            resources: []
        )
        manifest.location = still.location
        return EntryRecord(manifest, isIncompleteLivePhoto: still.contentIdentifier != nil)
    }

    private func describe(_ record: inout EntryRecord, _ still: MediaFile, _ movie: MediaFile?) {
        if begun != nil { record.manifest.captureTime = captureTime(still, record.manifest.captureTime) }
        record.manifest.pixelSize = still.pixelSize
        record.manifest.location = record.manifest.location ?? still.location
        if movie != nil { record.manifest.mediaSubtypes = .photoLive }
        record.manifest.durationMicroseconds = movie?.duration.map(AssetManifest.microseconds)
        if record.isIncompleteLivePhoto { record.markIncomplete() }
    }

    /// The still's own date, with the clocks that were read before the shutter.
    private func captureTime(_ still: MediaFile, _ requested: CaptureTime) -> CaptureTime {
        var time = still.captureTime
        guard let monotonic = requested.monotonicNanoseconds else { return time }
        // Both dates come from files.
        let (distance, isFar) = time.wall.microsecondsSince1970
            .subtractingReportingOverflow(requested.wall.microsecondsSince1970)
        let (nanoseconds, isFarther) = distance.multipliedReportingOverflow(by: 1000)
        let (sum, isFarthest) = Int64(clamping: monotonic).addingReportingOverflow(nanoseconds)
        time.monotonicNanoseconds = isFar || isFarther || isFarthest ? nil : UInt64(exactly: sum)
        time.bootID = requested.bootID
        time.source = .deviceClock
        time.isSynchronized = requested.isSynchronized
        return time
    }
}
