import LibraryAPI
import PhotoModel

extension SyncMachine {
    /// The transfers to start, within the free parallel requests.
    mutating func transfers(now: Duration) -> [SyncAction] {
        var actions: [SyncAction] = []
        var slots = policy.parallelRequests - inFlight.count(where: { !$0.isLocal && !$0.isListening })
        var batches = max(1, min(policy.parallelBatches, policy.parallelRequests - 1))
        batches -= inFlight.count { if case .batch = $0 { true } else { false } }
        while slots > 0, batches > 0, let batch = nextBatch(now: now) {
            for id in batch { items[id]?.phase = .busy }
            actions.append(.batch(batch))
            slots -= 1
            batches -= 1
        }
        for id in order where slots > 0 {
            guard let item = items[id], item.retry.isDue(at: now), hold(of: item.entry) == nil else { continue }
            switch item.phase {
            case .waiting where item.goesAlone || !item.entry.fitsBatch:
                items[id]?.phase = .busy
                actions.append(.describe(id))
                slots -= 1
            case .transferring(let uploads):
                let next = appends(of: id, uploads, slots: &slots)
                actions += next
            case .waiting, .busy, .rejected:
                continue
            }
        }
        inFlight.formUnion(actions)
        return actions
    }

    /// The oldest small assets that fit into one request.
    private func nextBatch(now: Duration) -> [AssetID]? {
        var batch: [AssetID] = []
        var byteCount: Int64 = 0
        for id in order {
            guard let item = items[id], item.phase == .waiting, item.entry.fitsBatch, !item.goesAlone,
                item.retry.isDue(at: now), hold(of: item.entry) == nil
            else { continue }
            let size = item.entry.byteCount
            guard batch.count < policy.batchAssetCount, batch.isEmpty || byteCount + size <= policy.batchByteCount
            else { break }
            batch.append(id)
            byteCount += size
        }
        return batch.isEmpty ? nil : batch
    }

    /// The next request of each upload of an asset, or its commit.
    private mutating func appends(of id: AssetID, _ uploads: [Upload], slots: inout Int) -> [SyncAction] {
        if uploads.allSatisfy(\.isComplete) {
            guard !uploads.contains(where: \.isBusy) else { return [] }
            items[id]?.phase = .busy
            slots -= 1
            return [.commit(id)]
        }
        var uploads = uploads
        var actions: [SyncAction] = []
        for index in uploads.indices.sorted(by: { uploads[$0].length < uploads[$1].length }) where slots > 0 {
            let upload = uploads[index]
            guard !upload.isComplete, !upload.isBusy else { continue }
            if upload.isUncertain {
                actions.append(.position(id, upload.id))
            } else {
                let byteCount = min(policy.appendByteCount, upload.length - upload.offset)
                actions.append(
                    .append(
                        Append(
                            assetID: id,
                            resourceID: upload.resourceID,
                            uploadID: upload.id,
                            offset: upload.offset,
                            byteCount: byteCount,
                            isLast: upload.offset + byteCount == upload.length
                        )
                    )
                )
            }
            uploads[index].isBusy = true
            slots -= 1
        }
        items[id]?.phase = .transferring(uploads)
        return actions
    }
}
