import AgentStore
import LibraryAPI
import MediaFiles
import Persistence
import PhotoModel
import Synchronization

/// An import in progress: while one batch of files is made durable in the queue, the next one is read.
struct ImportCourse: Sendable {
    /// As many as one request sends.
    private static let batchCount = 192
    private static let batchByteCount: Int64 = 64 << 20
    private static let setCount = 1024

    let importer: Importer
    private let collection: MediaCollection
    /// The work done so far.
    var report: Importer.Report
    /// Why the import stopped early; nil if it has not.
    private(set) var obstacle: AgentStoreError?
    /// New assets of this import that are not yet in the queue.
    var seen: [AssetID: TakenAsset] = [:]
    /// What a look into the queue found for each asset of the current batch.
    private(set) var lookedUp: [AssetID: QueueEntry?] = [:]
    /// The album of each asset; empty for none.
    var albums: [AssetID: String] = [:]
    /// Assets that could not be added.
    private var lost: Set<AssetID> = []
    /// Whether most files of the last batch were known: the next ones probably are too, and not worth copying first.
    private var expectsKnown: Bool
    /// File sets to remember as read once their assets are durable.
    private var sets: [(set: FileSet, assets: [AssetID])]
    /// The current set: whether nothing about it needs reporting, and its assets so far.
    private var openSet: (isPlain: Bool, assets: [AssetID]) = (true, [])

    init(_ importer: Importer, _ collection: MediaCollection, _ report: Importer.Report) {
        self.importer = importer
        self.collection = collection
        self.report = report
        expectsKnown = importer.options.readsEverything
        sets = collection.sets.filter { $0.record?.assetCount == 0 }.map { ($0, []) }
        self.report.tell(collection)
    }

    /// Imports the files found, with progress after each group; false if it was stopped, or met an obstacle, before the
    /// end; blocks.
    ///
    /// - Throws: `storage`.
    mutating func run(_ progress: @Sendable (Importer.Progress) -> Void) throws -> Bool {
        if !importer.options.isDryRun { try importer.ledger.forget(collection.outgrown) }
        let groups = collection.groups
        let reached = Mutex(Importer.Progress(byteCount: groups.reduce(0) { $0 + $1.byteCount }, count: groups.count))
        @Sendable func note(_ group: MediaCollection.Group) {
            reached.withLock { reached in
                reached.doneCount += 1
                reached.doneBytes += group.byteCount
                // The last group counts as done only once it is durable.
                if reached.doneCount < reached.count { progress(reached) }
            }
        }
        var batches = Self.batches(of: groups)[...]
        var staged = try stage(batches.popFirst(), note)
        while let current = staged, obstacle == nil {
            let items = prepare(current)
            staged = try add(
                items,
                isLast: batches.isEmpty,
                whileStaging: obstacle == nil ? batches.popFirst() : nil,
                note
            )
        }
        if groups.isEmpty, obstacle == nil { obstacle = add([], takeSets()) }
        let end = reached.withLock { $0 }
        if end.doneCount == end.count, obstacle == nil { progress(end) }
        return end.doneCount == end.count
    }

    /// The ranges of groups that are staged and added together, to share the waits for the disk.
    private static func batches(of groups: [MediaCollection.Group]) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var start = 0
        var byteCount: Int64 = 0
        for (index, group) in groups.enumerated() {
            byteCount += group.byteCount
            guard index + 1 - start >= batchCount || byteCount >= batchByteCount || index + 1 == groups.count else {
                continue
            }
            batches.append(start..<index + 1)
            (start, byteCount) = (index + 1, 0)
        }
        return batches
    }

    // MARK: Reading

    /// A batch of groups that was read.
    private struct Staged: Sendable {
        let range: Range<Int>
        /// Nil for a group not reached before the import was stopped.
        let groups: [Result<StagedGroup, any Error>?]
    }

    /// Reads a batch of groups, on all processors.
    private func stage(_ range: Range<Int>?, _ note: @Sendable (MediaCollection.Group) -> Void) throws -> Staged? {
        guard let range, !importer.mustStop() else { return nil }
        let groups = Array(collection.groups[range])
        let intake = try isStaging(groups) ? importer.store.makeIntake() : nil
        return Staged(
            range: range,
            groups: try groups.concurrentMap { group in
                guard !importer.mustStop() else { return nil }
                let result = Result { try StagedGroup(group, importer, in: intake) }
                note(group)
                return result
            }
        )
    }

    /// Whether files are staged in the store when first read; files that are only hashed are read again when added.
    private func isStaging(_ groups: [MediaCollection.Group]) throws -> Bool {
        guard !importer.options.isDryRun, !expectsKnown else { return false }
        guard importer.options.transfer == .copy else { return true }
        // Without room, only hash: known files are still recognised.
        return try importer.store.hasRoom(for: groups.reduce(0) { $0 + $1.byteCount }, importer.limits)
    }

    /// The new items among the groups that were read, in order.
    private mutating func prepare(_ staged: Staged) -> [ImportItem] {
        lookUp(staged.groups)
        var items: [ImportItem] = []
        let known = report.known
        for (index, result) in zip(staged.range, staged.groups) {
            let group = collection.groups[index]
            let remarks = report.failed.count + report.unusedSidecarCount
            do {
                // A set with a group that was not reached is not remembered.
                guard let group = try result?.get() else { break }
                let new = try self.items(of: collection.groups[index], group)
                items += new
                openSet.assets.append(.derived(from: group.digest))
                openSet.isPlain = openSet.isPlain && new.allSatisfy { $0.remark == nil }
            } catch let error as AgentStoreError where [.otherFileSystem, .full, .draining].contains(error.code) {
                obstacle = error
                break
            } catch {
                report.failed.append("\(group.primary.file.displayPath): \(error)")
            }
            openSet.isPlain = openSet.isPlain && report.failed.count + report.unusedSidecarCount == remarks
            if collection.isLastOfSet(index) {
                if openSet.isPlain, let set = collection.set(of: group) { sets.append((set, openSet.assets)) }
                openSet = (true, [])
            }
        }
        expectsKnown = (report.known - known) * 2 > staged.range.count
        return items
    }

    /// Looks the groups' assets up together: a sync beside the import uses the queue, too, and each look waits for it.
    private mutating func lookUp(_ groups: [Result<StagedGroup, any Error>?]) {
        let ids = groups.compactMap { try? $0?.get() }.map { AssetID.derived(from: $0.digest) }
        // If that fails, each is looked up by itself, and its error reported.
        lookedUp = [:]
        guard let entries = try? importer.store.entries(ids) else { return }
        for id in ids { lookedUp.updateValue(nil, forKey: id) }
        for entry in entries { lookedUp.updateValue(entry, forKey: entry.id) }
    }

    // MARK: Adding

    /// Adds a batch while reading the next one.
    private mutating func add(
        _ items: [ImportItem],
        isLast: Bool,
        whileStaging next: Range<Int>?,
        _ note: @Sendable (MediaCollection.Group) -> Void
    ) throws -> Staged? {
        enum Half: Sendable {
            case added(ImportCourse)
            case staged(Staged?)
        }
        let isRemembering = !items.isEmpty || isLast || sets.count >= Self.setCount
        let sets = isRemembering ? takeSets() : []
        let before = self
        var staged: Staged?
        let halves = try [true, false].concurrentMap { isAdding in
            guard isAdding else { return Half.staged(try before.stage(next, note)) }
            var course = before
            if let obstacle = course.add(items, sets) { course.obstacle = obstacle }
            return Half.added(course)
        }
        for half in halves {
            switch half {
            case .added(let course): self = course
            case .staged(let groups): staged = groups
            }
        }
        return staged
    }

    /// Removes and returns the sets whose assets are in the queue, or will be with the next items.
    private mutating func takeSets() -> [(set: FileSet, assets: [AssetID])] {
        defer { sets = [] }
        return sets.filter { lost.isDisjoint(with: $0.assets) }
    }

    /// Adds items together, or one by one if that fails, so that one bad file does not keep the others out; returns why
    /// the import cannot go on.
    private mutating func add(
        _ items: [ImportItem],
        _ sets: [(set: FileSet, assets: [AssetID])]
    ) -> AgentStoreError? {
        guard !items.isEmpty || !sets.isEmpty else { return nil }
        do {
            let forgotten = try importer.options.isDryRun ? [] : importer.add(items, sets)
            report.failed += Set(forgotten.map(\.folder)).sorted().map {
                "\($0): by now the library may lack photos of it that it had: import it again"
            }
            for item in items {
                count(item)
                if !importer.options.isDryRun { seen[item.draft.manifest.id] = nil }
            }
        } catch let error as AgentStoreError where error.code == .draining {
            return error
        } catch  where items.count > 1 {
            for item in items {
                if let obstacle = add([item], []) { return obstacle }
            }
        } catch  where items.isEmpty {
            // Only the memory of read files failed: the next import will read them again.
        } catch let error as AgentStoreError where error.code == .full {
            return error
        } catch {
            lost.formUnion(items.map(\.draft.manifest.id))
            report.failed += items.map { "\($0.group.primary.file.displayPath): \(error)" }
        }
        return nil
    }

    private mutating func count(_ item: ImportItem) {
        report.added += 1
        report.livePhotos += item.draft.manifest.mediaSubtypes.contains(.photoLive) ? 1 : 0
        report.sidecars += item.sidecarCount
        if let remark = item.remark { report.separate.append(remark) }
        guard importer.options.transfer == .move, !importer.options.isDryRun else { return }
        report.notRemoved += item.files.filter(importer.isThere).map {
            "\($0.displayPath): it is in the queue, and was not removed: check the mode of its folder, or import it again "
                + "if it is another file by now"
        }
    }
}
