import AgentStore
import LibraryAPI
import MediaFiles
import Persistence
import PhotoModel
import Synchronization

/// An import under way: while one batch of files is made durable in the queue, the next one is read.
struct ImportCourse: Sendable {
    private static let batchCount = 64
    private static let batchByteCount: Int64 = 64 << 20
    private static let setCount = 1024

    let importer: Importer
    private let collection: MediaCollection
    /// What was done so far.
    var report: Importer.Report
    /// Why the rest is not tried; nil while it is.
    private(set) var obstacle: AgentStoreError?
    /// What becomes an asset by this import, until the queue knows it.
    var seen: [AssetID: TakenAsset] = [:]
    /// The album that each of them was given; empty for none.
    var albums: [AssetID: String] = [:]
    /// Assets that could not be taken in.
    private var lost: Set<AssetID> = []
    /// Whether most files of the last batch were known: those that follow are most likely, too, and not worth a copy.
    private var expectsKnown: Bool
    /// Sets of files that need not be read again once their assets are durable.
    private var sets: [(set: FileSet, assets: [AssetID])]
    /// Whether nothing is to be told of the set whose groups come now, and the assets that they are.
    private var openSet: (isPlain: Bool, assets: [AssetID]) = (true, [])

    init(_ importer: Importer, _ collection: MediaCollection, _ report: Importer.Report) {
        self.importer = importer
        self.collection = collection
        self.report = report
        expectsKnown = importer.options.readsEverything
        sets = collection.sets.filter { $0.record?.assetCount == 0 }.map { ($0, []) }
        self.report.tell(collection)
    }

    /// Takes in what was found; blocks.
    ///
    /// - Parameter progress: told after each group.
    /// - Returns: false where it was told to stop, or met an obstacle, before the end.
    /// - Throws: `storage`.
    mutating func run(_ progress: @Sendable (Importer.Progress) -> Void) throws -> Bool {
        if !importer.options.isDryRun { try importer.ledger.forget(collection.outgrown) }
        let groups = collection.groups
        let reached = Mutex(
            Importer.Progress(byteCount: groups.reduce(0) { $0 + $1.byteCount }, count: groups.count)
        )
        @Sendable func note(_ group: MediaCollection.Group) {
            reached.withLock { reached in
                reached.doneCount += 1
                reached.doneBytes += group.byteCount
                // What is read last is done once it is durable.
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

    /// Places of groups that are staged, and taken in, together, so that they share the waits for the disk.
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

    /// Groups that were read.
    private struct Staged: Sendable {
        let range: Range<Int>
        /// Nil for a group that was not reached before it was told to stop.
        let groups: [Result<StagedGroup, any Error>?]
    }

    /// Reads a batch of groups, on all processors.
    private func stage(
        _ range: Range<Int>?,
        _ note: @Sendable (MediaCollection.Group) -> Void
    ) throws -> Staged? {
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

    /// Whether files are brought into the store to be looked at; what is only hashed is read again when it is taken in.
    private func isStaging(_ groups: [MediaCollection.Group]) throws -> Bool {
        guard !importer.options.isDryRun, !expectsKnown else { return false }
        guard importer.options.transfer == .copy else { return true }
        // Where room has to be made, or there is none, what is known is told all the same.
        return try importer.store.hasRoom(for: groups.reduce(0) { $0 + $1.byteCount }, importer.limits)
    }

    /// What is to be taken in of the groups that were read, in their order.
    private mutating func prepare(_ staged: Staged) -> [ImportItem] {
        var items: [ImportItem] = []
        let known = report.known
        for (index, result) in zip(staged.range, staged.groups) {
            let group = collection.groups[index]
            let remarks = report.failed.count + report.unusedSidecarCount
            do {
                // A set of which a group was not reached is not remembered.
                guard let group = try result?.get() else { break }
                let new = try self.items(of: collection.groups[index], group)
                items += new
                openSet.assets.append(.derived(from: group.digest))
                openSet.isPlain = openSet.isPlain && new.allSatisfy { $0.remark == nil }
            } catch let error as AgentStoreError where [.otherFileSystem, .full, .retiring].contains(error.code) {
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

    // MARK: Taking in

    /// Takes a batch in, and reads the next one meanwhile.
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

    /// The sets whose assets are in the queue, or come into it with the next items.
    private mutating func takeSets() -> [FileSet] {
        defer { sets = [] }
        return sets.filter { lost.isDisjoint(with: $0.assets) }.map(\.set)
    }

    /// Takes items in; where that fails as a whole, each alone, so that one bad file keeps no other out.
    ///
    /// - Returns: why no more is to be tried; nil where nothing speaks against it.
    private mutating func add(_ items: [ImportItem], _ sets: [FileSet]) -> AgentStoreError? {
        guard !items.isEmpty || !sets.isEmpty else { return nil }
        do {
            if !importer.options.isDryRun { try importer.add(items, sets) }
            for item in items {
                count(item)
                if !importer.options.isDryRun { seen[item.draft.manifest.id] = nil }
            }
        } catch let error as AgentStoreError where error.code == .retiring {
            return error
        } catch  where items.count > 1 {
            for item in items {
                if let obstacle = add([item], []) { return obstacle }
            }
        } catch  where items.isEmpty {
            // What was taken before is in the queue; that it need not be read again can be told another time.
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
            "\($0.displayPath): it is in the queue, and could not be removed: check the mode of its folder"
        }
    }
}
