import MediaFormats
import Persistence
import PhotoModel

extension MediaCollection {
    /// The number of remarks on files.
    private var remarkCount: Int {
        damaged.count + failed.count + orphans.count + unreadable.count + leftBehind.count
    }

    /// Collects files with a common name, and records their attributes.
    mutating func examine(_ files: [NamedFile], _ mark: FileSetFingerprint?, of folder: Folder) {
        let before = (groups: groups.count, skipped: skipped, remarks: remarkCount)
        addSet(files, of: folder)
        for index in before.groups..<groups.count { groups[index].set = sets.count }
        var set = FileSet(folder: folder.place.displayPath, record: nil)
        if let mark, remarkCount == before.remarks,
            groups[before.groups...].allSatisfy({ $0.movie != nil || $0.primary.contentIdentifier == nil }),
            let assetCount = UInt8(exactly: groups.count - before.groups),
            let skippedCount = UInt8(exactly: skipped - before.skipped)
        {
            set.record = FileSet.Record(mark: mark, assetCount: assetCount, skippedCount: skippedCount)
        }
        sets.append(set)
    }

    /// Collects files with a common name.
    mutating func addSet(_ files: [NamedFile], of folder: Folder) {
        let documents = folder.documents
        var media: [MediaFile] = []
        var edits: [MediaFile] = []
        var sidecars: [NamedFile] = []
        for file in files {
            if documents.isSidecar(file) {
                sidecars.append(file)
            } else if let found = examine(file, isItem: documents.isItem(file)) {
                if documents.originals[file.name] == nil { media.append(found) } else { edits.append(found) }
            }
        }
        var made = Self.joined(media, documents)
        for index in made.indices {
            made[index].folder = folder.name
            made[index].folderAlbum = documents.album
            documents.attachSidecars(among: sidecars, to: &made[index])
            edits = documents.attach(edits, to: &made[index])
        }
        let taken = made.flatMap { [$0.sidecar?.name, $0.adjustment?.name] }
        orphans += sidecars.filter { !taken.contains($0.name) && !documents.isAbout($0, made) }.map {
            Remark(path: $0.displayPath, reason: "no photo or movie has this name")
        }
        for index in made.indices {
            made[index].sidecar = telling(made[index].sidecar)
            made[index].adjustment = telling(made[index].adjustment)
        }
        // An edited version without its original, or of another kind, is still a picture.
        made += edits.map { edit in
            var group = Group(primary: edit)
            group.folder = folder.name
            group.folderAlbum = documents.album
            return group
        }
        for group in made {
            let path = group.primary.file.displayPath
            if let reason = group.told?.exclusion {
                leftBehind.append(Remark(path: path, reason: "\(reason), and is not taken"))
                continue
            }
            let lack = [documents.lack(of: group)].compactMap(\.self)
            leftBehind += (lack + (group.told?.leftBehind ?? [])).map { Remark(path: path, reason: $0) }
            groups.append(group)
        }
    }

    /// A sidecar with bytes; one that is empty or too long is reported, and is never part of an asset.
    private mutating func telling(_ sidecar: NamedFile?) -> NamedFile? {
        guard let sidecar, let count = sidecar.facts?.byteCount else { return sidecar }
        if 1...AssetResource.maximumByteCount ~= Int64(count) { return sidecar }
        unreadable.append(Remark(path: sidecar.displayPath, reason: count == 0 ? "it is empty" : MediaFile.tooLong))
        return nil
    }

    /// Groups files of one name into assets; if that is ambiguous, each stands alone.
    ///
    /// A GIF always does: no camera writes one, and beside a movie it was made from that.
    private static func joined(_ media: [MediaFile], _ documents: FolderDocuments) -> [Group] {
        let stills = media.filter { $0.kind.type == .photo && $0.kind.contentType != "image/gif" }
        let finished = stills.filter { !$0.kind.isRaw }
        guard finished.count <= 1, stills.count <= finished.count + 1, let still = finished.first ?? stills.first else {
            return media.map { Group(primary: $0) }
        }
        var group = Group(primary: still)
        if let raw = stills.first(where: \.kind.isRaw), !still.kind.isRaw, isSameShot(still, raw) { group.raw = raw }
        let movies = media.filter { $0.kind.type == .video }
        if movies.count == 1, isPair(still, movies[0], documents) { group.movie = movies[0] }
        let taken = [still.path, group.raw?.path, group.movie?.path]
        return [group] + media.filter { !taken.contains($0.path) }.map { Group(primary: $0) }
    }

    /// Whether two stills may be one photo: a camera writes both with the same date.
    private static func isSameShot(_ finished: MediaFile, _ raw: MediaFile) -> Bool {
        guard let one = finished.time, let other = raw.time else { return true }
        let difference = one.instant(assumingUTCOffsetSeconds: 0).duration(
            since: other.instant(assumingUTCOffsetSeconds: 0)
        )
        return abs(difference / .seconds(1)) < 2
    }

    /// A file's description; nil, with a report, if it is not media or cannot be imported.
    ///
    /// An item is a photo or movie according to an export.
    private mutating func examine(_ file: NamedFile, isItem: Bool) -> MediaFile? {
        do {
            if let found = try MediaFile(file, upTo: AssetResource.maximumByteCount, in: fileSystem) {
                if found.isCutOff { damaged.append(Remark(path: file.displayPath, reason: "it ends too early")) }
                return found
            }
            if try FileSource(file.path, in: fileSystem).byteCount == 0 {
                failed.append(Remark(path: file.displayPath, reason: "it is empty"))
            } else if NamedKind.isMedia(file) {
                let reason = "it is not what its name says, or in a form of that format that a library does not take"
                failed.append(Remark(path: file.displayPath, reason: reason))
            } else {
                skipped += 1
                if isItem || NamedKind.isForeignMedia(file) {
                    let reason = "a library does not take its format: convert it first"
                    leftBehind.append(Remark(path: file.displayPath, reason: reason))
                }
            }
        } catch {
            let reason = (error as? PersistenceError)?.message ?? "\(error)"
            failed.append(Remark(path: file.displayPath, reason: reason))
        }
        return nil
    }

    /// Files of one name are a pair unless their identifiers differ.
    ///
    /// A QuickTime movie beside a still is a pair; for an MPEG-4 movie, it or its export must say so.
    private static func isPair(_ still: MediaFile, _ movie: MediaFile, _ documents: FolderDocuments) -> Bool {
        guard let left = still.contentIdentifier, let right = movie.contentIdentifier else {
            if let isPair = documents.isPair(still.file, movie.file) { return isPair }
            // A movie that an export extracted from the still is the same movie.
            let isTakenOut = still.motionPhoto.map { Int64($0.movie.length) == movie.byteCount } ?? false
            return movie.kind.contentType == "video/quicktime" || isTakenOut
        }
        return left == right
    }
}
