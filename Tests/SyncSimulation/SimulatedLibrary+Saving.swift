import LibraryAPI
import PhotoModel
import SyncEngine

// Uploads, assets, and the bytes of both.

extension SimulatedLibrary {
    struct Upload {
        let device: DeviceID
        let entry: SyncEntry
        let resource: AssetResource
        var offset: Int64 = 0
        /// What survives a kill; the same, unless the library tells offsets early.
        var durableOffset: Int64 = 0
        var isRotten = false
        var touched: Duration
        var isComplete: Bool { offset == resource.byteCount }
    }

    /// The row that makes an asset visible.
    struct Asset {
        let entry: SyncEntry
        let receipt: SimulatedReceipt
    }

    /// A resource's bytes in their place.
    struct Blob {
        let byteCount: Int64
        let isRotten: Bool
        /// Since when no row and no upload names it.
        var orphanedSince: Duration?
    }

    /// How long an upload waits for who began it, and bytes of nobody in quarantine.
    static let uploadAge = Duration.seconds(14 * 86_400)
    static let quarantineAge = Duration.seconds(30 * 86_400)

    mutating func describe(_ entry: SyncEntry, _ call: Call) -> SimulatedResponse {
        if let problem = savingRefusal(of: call.device) { return .refused(problem) }
        if let asset = assets[entry.id] { return .receipt(receipt(of: asset)) }
        let known = uploads.values.filter { $0.entry.id == entry.id }.map(\.resource.id)
        for resource in entry.resources where !known.contains(resource.id) {
            lastUpload += 1
            uploads[UploadID(rawValue: lastUpload)] = Upload(
                device: call.device,
                entry: entry,
                resource: resource,
                touched: call.now
            )
        }
        return .uploads(
            uploads.filter { $0.value.entry.id == entry.id }.sorted { $0.key < $1.key }.map { id, upload in
                UploadStatus(
                    id: id,
                    resourceID: upload.resource.id,
                    offset: upload.offset,
                    length: upload.resource.byteCount,
                    isComplete: upload.isComplete,
                    expires: WallTime(microsecondsSince1970: 0)
                )
            }
        )
    }

    func position(_ id: UploadID, _ call: Call) -> SimulatedResponse {
        if let problem = savingRefusal(of: call.device) { return .refused(problem) }
        guard let upload = uploads[id] else { return .refused(ProblemDetails(.notFound, "")) }
        return .position(upload.offset, isComplete: upload.isComplete)
    }

    mutating func append(
        _ append: Append,
        isRotten: Bool,
        _ call: Call,
        _ truth: inout SimulatedTruth
    ) -> SimulatedResponse {
        if let problem = savingRefusal(of: call.device) { return .refused(problem) }
        guard var upload = uploads[append.uploadID] else { return .refused(ProblemDetails(.notFound, "")) }
        let arrived = call.arrived == 1 ? append.byteCount : Int64(Double(append.byteCount) * call.arrived)
        guard upload.offset == append.offset else {
            wastedBytes += arrived
            return .refused(.offsetMismatch(expected: upload.offset, provided: append.offset))
        }
        let end = append.offset + append.byteCount
        guard end <= upload.resource.byteCount, append.isLast == (end == upload.resource.byteCount) else {
            truth.blame(3, "an append past the end of \(append.uploadID)")
            return .refused(ProblemDetails(.malformedRequest, ""))
        }
        upload.durableOffset = call.bug == .tellsOffsetEarly ? upload.offset : upload.offset + arrived
        upload.offset += arrived
        upload.isRotten = upload.isRotten || isRotten
        upload.touched = call.now
        if upload.isComplete, upload.isRotten, call.bug != .publishesUnread {
            uploads[append.uploadID] = nil
            return .refused(ProblemDetails(.digestMismatch, ""))
        }
        uploads[append.uploadID] = upload
        return .position(upload.offset, isComplete: upload.isComplete)
    }

    mutating func commit(_ id: AssetID, _ call: Call, _ truth: inout SimulatedTruth) -> SimulatedResponse {
        if call.bug != .judgesOnce, let problem = savingRefusal(of: call.device) { return .refused(problem) }
        if let asset = assets[id] { return .receipt(receipt(of: asset)) }
        let mine = uploads.values.filter { $0.entry.id == id }
        guard let entry = mine.first?.entry else { return .refused(ProblemDetails(.notFound, "")) }
        guard mine.count == entry.resources.count, mine.allSatisfy(\.isComplete) else {
            return .refused(ProblemDetails(.assetIncomplete, ""))
        }
        let rotten = Set(mine.filter(\.isRotten).map(\.resource.id))
        guard publish(entry, rotten, call, &truth) else { return .nothing }
        return assets[id].map { .receipt(receipt(of: $0)) } ?? .nothing
    }

    /// Takes the assets of a batch that came through, in the order of its entries; of one that was cut, those before the cut.
    mutating func batch(_ entries: [SyncEntry], _ call: Call, _ truth: inout SimulatedTruth) -> SimulatedResponse {
        var results: [(AssetID, Result<SimulatedReceipt, ProblemDetails>)] = []
        for entry in entries.prefix(Int(Double(entries.count) * call.arrived)) {
            if let problem = savingRefusal(of: call.device) {
                results.append((entry.id, .failure(problem)))
                continue
            }
            if assets[entry.id] == nil, !publish(entry, [], call, &truth) { return .nothing }
            if let asset = assets[entry.id] { results.append((entry.id, .success(receipt(of: asset)))) }
        }
        return .batch(results)
    }

    /// The receipt as this history gives it: a restored library signs anew what its backup holds.
    private func receipt(of asset: Asset) -> SimulatedReceipt {
        SimulatedReceipt(epoch: epoch, number: asset.receipt.number)
    }

    /// Puts every resource in its place, and then writes the row that makes the asset visible; false when the library is
    /// killed meanwhile.
    private mutating func publish(
        _ entry: SyncEntry,
        _ rotten: Set<ResourceID>,
        _ call: Call,
        _ truth: inout SimulatedTruth
    ) -> Bool {
        if truth.rights[call.device].map({ !$0.mayAdd }) ?? false {
            truth.blame(12, "an asset became visible that its device was not allowed to add")
        }
        let rowStep = call.bug == .publishesRowFirst ? 0 : entry.resources.count
        var resources = entry.resources[...]
        for step in 0...entry.resources.count {
            if let end = call.killedAfter, step >= end {
                lookForHalves(entry.id, &truth)
                return false
            }
            if step == rowStep {
                lastNumber += 1
                assets[entry.id] = Asset(entry: entry, receipt: SimulatedReceipt(epoch: epoch, number: lastNumber))
            } else if let resource = resources.popFirst() {
                blobs[resource.id] = Blob(byteCount: resource.byteCount, isRotten: rotten.contains(resource.id))
            }
        }
        uploads = uploads.filter { $0.value.entry.id != entry.id }
        lookForHalves(entry.id, &truth)
        return true
    }

    /// What a reader would see of an asset now.
    private func lookForHalves(_ id: AssetID, _ truth: inout SimulatedTruth) {
        guard let asset = assets[id] else { return }
        for resource in asset.entry.resources {
            guard let blob = blobs[resource.id], blob.byteCount == resource.byteCount else {
                return truth.blame(6, "a reader sees half an asset")
            }
            if blob.isRotten { truth.blame(3, "the library serves other bytes than were captured") }
        }
    }

    // MARK: Upkeep

    /// The library's process is killed: what was told survives.
    mutating func kill() {
        for id in uploads.keys {
            guard let durable = uploads[id]?.durableOffset else { continue }
            uploads[id]?.offset = durable
        }
    }

    /// Lets go of uploads that nobody goes on with, of bytes that nothing names, and of removals that all have heard of.
    mutating func tidyUp(_ now: Duration, _ bug: PlantedBug?) {
        if bug != .keepsAbandoned { uploads = uploads.filter { $0.value.touched + Self.uploadAge > now } }
        let named = Set(assets.values.flatMap { $0.entry.resources.map(\.id) })
            .union(uploads.values.map(\.resource.id))
        for id in blobs.keys {
            if named.contains(id) {
                blobs[id]?.orphanedSince = nil
            } else if let since = blobs[id]?.orphanedSince {
                if since + Self.quarantineAge <= now { blobs[id] = nil }
            } else {
                blobs[id]?.orphanedSince = now
            }
        }
        collectRemovals()
    }

    /// Bytes that lie there for nobody.
    var leftoverCount: Int {
        let named = Set(assets.values.flatMap { $0.entry.resources.map(\.id) })
        return uploads.count + blobs.keys.count { !named.contains($0) }
    }
}
