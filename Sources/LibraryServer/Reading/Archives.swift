import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// Archives of many assets, streamed and resumable.
///
/// Only the request is stored. Each download is planned from the files that the caller may see then and their lengths,
/// so an unchanged archive has the same bytes at the same offsets. Its tag covers every file in it; a range request for
/// an archive that has changed since gets the whole archive (`If-Range`).
struct Archives: Sendable {
    /// Files that one call prepares.
    private static let preparedCount = 4

    let store: LibraryStore
    let media: Derivatives
    let sums = ArchiveSums()
    let now: @Sendable () -> WallTime

    /// Opens an archive, dropping the caller's oldest if there are too many.
    ///
    /// - Throws: `limits.too_large`, `request.malformed` for no assets.
    func open(_ request: ArchiveRequest, for owner: Actor) async throws -> ArchiveID {
        guard request.assets.count <= APILimits.archiveAssetCount else {
            throw ProblemDetails(
                .tooLarge,
                "An archive holds at most \(APILimits.archiveAssetCount) assets: request several archives.",
                field: "assets"
            )
        }
        guard !request.assets.isEmpty else {
            throw ProblemDetails(.malformedRequest, "An archive needs an asset.", field: "assets")
        }
        guard request.strip?.count ?? 0 <= MetadataPart.allCases.count else {
            throw ProblemDetails(.tooLarge, "Name each part to strip once.", field: "strip")
        }
        var (request, seen) = (request, Set<AssetID>())
        request.assets.removeAll { !seen.insert($0).inserted }
        let time = now()
        let id = ArchiveID.version7(at: time)
        let expires = time.advanced(by: .seconds(APILimits.archiveSeconds))
        let record = StoredRecord(
            id: RecordID(rawValue: id.rawValue),
            owner: owner.description,
            expires: expires,
            document: try ArchiveDocument(request: request, created: time, expires: expires).text()
        )
        try await store.metadata.updateRecords(of: ArchiveDocument.kind, ownedBy: owner.description) { own in
            var changes = RecordChanges()
            changes.removed = own.dropLast(APILimits.archivesPerCaller - 1).map(\.id)
            changes.written = [record]
            return changes
        }
        return id
    }

    /// The state of the caller's archive.
    ///
    /// - Throws: `object.not_found`.
    func state(_ id: ArchiveID, of owner: Actor, in view: LibraryView) async throws -> ArchiveResponse {
        let (document, plan) = try await plan(id, of: owner, in: view)
        return response(id, document, plan)
    }

    /// Prepares the next few files and returns the archive's new state.
    ///
    /// - Throws: `object.not_found`, `server.unavailable`.
    func prepare(_ id: ArchiveID, of owner: Actor, in view: LibraryView) async throws -> ArchiveResponse {
        let (document, plan) = try await plan(id, of: owner, in: view)
        try await measure(plan.files.filter { !isReady($0) }.prefix(Self.preparedCount), document, in: view)
        return response(id, document, plan)
    }

    /// The archive, after preparing any files not yet ready.
    ///
    /// - Throws: `object.not_found`, `server.unavailable`.
    func file(_ id: ArchiveID, of owner: Actor, in view: LibraryView) async throws -> ServedFile {
        let (document, plan) = try await plan(id, of: owner, in: view)
        let waiting = plan.files.filter { !isReady($0) }
        for start in stride(from: 0, to: waiting.count, by: Self.preparedCount) {
            try await measure(waiting.dropFirst(start).prefix(Self.preparedCount), document, in: view)
        }
        var files: [(entry: StoredArchive.Entry, file: ArchivedFile)] = []
        for file in plan.files {
            guard let byteCount = byteCount(of: file) else { continue }
            files.append(
                (
                    entry: StoredArchive.Entry(name: file.name, byteCount: byteCount, time: file.time),
                    file: ArchivedFile(
                        byteCount: byteCount,
                        checksum: sums[file.key].checksum,
                        noted: { [sums] sum in sums.note(file.key) { $0.checksum = sum } },
                        opening: { try await opened(file, document, in: view) }
                    )
                )
            )
        }
        if let remark = remark(on: plan, document) { files.append(remark) }
        let names = files.map { "\($0.entry.name.count) \($0.entry.name) \($0.entry.byteCount)" }
        let contents = plan.files.map { "\($0.key.digest)\($0.key.form)" }
        return .archive(
            of: files,
            tag: ContentHasher.digest(Array((names + contents).joined(separator: "\n").utf8)).description,
            filename: Self.filename(document, count: Set(plan.files.map(\.asset)).count)
        )
    }

    // MARK: Planning

    private func plan(
        _ id: ArchiveID,
        of owner: Actor,
        in view: LibraryView
    ) async throws -> (ArchiveDocument, ArchivePlan) {
        let record = try await store.metadata.record(RecordID(rawValue: id.rawValue), of: ArchiveDocument.kind)
        guard let record, record.owner == owner.description else { throw ProblemDetails.notFound }
        let document = try ArchiveDocument(record)
        return (document, try await ArchivePlan(document) { try await store.metadata.assets($0, in: view) })
    }

    private func response(_ id: ArchiveID, _ document: ArchiveDocument, _ plan: ArchivePlan) -> ArchiveResponse {
        let prepared = plan.files.count(where: isReady)
        let held = Set(plan.files.map(\.asset))
        return ArchiveResponse(
            id: id,
            fileCount: plan.files.count,
            preparedCount: prepared,
            byteCount: prepared < plan.files.count ? nil : plan.files.reduce(0) { $0 + (byteCount(of: $1) ?? 0) },
            missingCount: document.request.assets.count { !held.contains($0) },
            leftOut: leftOut(of: plan),
            expires: document.expires
        )
    }

    private func leftOut(of plan: ArchivePlan) -> [ArchiveResponse.LeftOut] {
        plan.files.compactMap { file in
            sums[file.key].refusal.map { ArchiveResponse.LeftOut(asset: file.asset, name: file.name, reason: $0) }
        }
    }

    /// The archive's note about missing files; nil if none is missing.
    private func remark(
        on plan: ArchivePlan,
        _ document: ArchiveDocument
    ) -> (entry: StoredArchive.Entry, file: ArchivedFile)? {
        let missing = leftOut(of: plan)
        guard !missing.isEmpty else { return nil }
        let bytes = Array(missing.map { "\($0.name): \($0.reason)\n" }.joined().utf8)
        let time = CivilTime(document.created, utcOffsetSeconds: 0)
        return (
            entry: StoredArchive.Entry(name: "Left out.txt", byteCount: Int64(bytes.count), time: time),
            file: ArchivedFile(byteCount: Int64(bytes.count)) {
                ServedFile(pieces: [.bytes(bytes)], tag: "", contentType: "text/plain", filename: nil)
            }
        )
    }

    private static func filename(_ document: ArchiveDocument, count: Int) -> String {
        let day = document.created.description.prefix(10)
        let name = "\(count) photo\(count == 1 ? "" : "s") \(day).zip"
        return document.strip.contains(.location) ? name.withoutLocation : name
    }

    // MARK: Files

    /// Whether a file's length, or the reason it has none, is known.
    private func isReady(_ file: ArchivePlan.File) -> Bool {
        file.isOriginal || sums[file.key].byteCount != nil || sums[file.key].refusal != nil
    }

    private func byteCount(of file: ArchivePlan.File) -> Int64? {
        file.isOriginal ? file.resource.byteCount : sums[file.key].byteCount
    }

    /// Opens a file if its caller still sees its asset.
    private func opened(
        _ file: ArchivePlan.File,
        _ document: ArchiveDocument,
        in view: LibraryView
    ) async throws -> ServedFile {
        if file.isConverted {
            guard try await store.metadata.asset(file.asset, in: view) != nil else { throw ProblemDetails.notFound }
            let bytes = try await media.jpegBytes(of: file.resource, without: document.strip)
            return ServedFile(pieces: [.bytes(bytes)], tag: "", contentType: "image/jpeg", filename: nil)
        }
        return try await ServedFile(store.open(file.resource.id, of: file.asset, in: view)).without(document.strip)
    }

    /// Determines files' lengths, and which files cannot be made.
    private func measure(
        _ files: some Sequence<ArchivePlan.File>,
        _ document: ArchiveDocument,
        in view: LibraryView
    ) async throws {
        try await withThrowingTaskGroup { group in
            for file in files {
                group.addTask {
                    do {
                        let byteCount = try await opened(file, document, in: view).byteCount
                        sums.note(file.key) { $0.byteCount = byteCount }
                    } catch let problem as ProblemDetails {
                        guard let reason = document.reason(problem.code) else { throw problem }
                        sums.note(file.key) { $0.refusal = reason }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension ArchiveDocument {
    /// Why a file is left out, in words for people; nil for errors that a retry may change.
    fileprivate func reason(_ code: ErrorCode?) -> String? {
        let part = strip.contains(.location) ? "location" : "captions"
        return switch code {
        case .resourceInvalid?: "its \(part) cannot be removed reliably"
        case .tooLarge?: "it is too large to remove its \(part)"
        case .derivativeUnavailable?: "no picture can be made of it"
        default: nil
        }
    }
}

extension ArchivePlan.File {
    /// Whether it is the unchanged original.
    fileprivate var isOriginal: Bool { key.form.isEmpty }
}
