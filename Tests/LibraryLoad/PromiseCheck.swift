import DeviceIdentity
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import TestSupport

/// Holds a running library to what it promised before it was killed: the promises 2, 3, 5 and 6 of a device.
struct PromiseCheck {
    let server: any LoadTarget
    let devices: [LoadDevice]
    let ledger: PromiseLedger

    /// Checks what the last round touched, and a few older assets.
    func run(_ generator: inout SeededGenerator) async throws {
        try await checkOffsets()
        var assets = ledger.takeFresh()
        let older = Array(ledger.receipts.keys)
        for _ in 0..<min(4, older.count) { assets.append(generator.pick(older)) }
        try await check(receipted: assets)
        try await checkFindings(hashing: false, repairing: generator.oneIn(2))
    }

    /// Checks everything, byte for byte.
    func runWhole() async throws {
        try await checkOffsets()
        try await check(receipted: Array(ledger.receipts.keys))
        try await checkList()
        try await checkFindings(hashing: true, repairing: true)
    }

    /// Acknowledged: an offset never decreases, and its upload is there until its asset is.
    private func checkOffsets() async throws {
        for (upload, offset) in ledger.offsets {
            if let found = try await position(of: upload, by: devices[offset.device]) {
                ledger.keep(found, of: upload, asset: offset.asset, device: offset.device)
            } else {
                // Committed, and the answer was lost: the asset must be there, whole.
                try await checkAsset(offset.asset, "its upload \(upload) is gone")
            }
        }
    }

    /// Where an upload stands; nil for one that is not there.
    private func position(of upload: UploadID, by device: LoadDevice) async throws -> Int64? {
        do {
            return try await device.client.position(of: upload).offset
        } catch {
            // An answer to HEAD has no body, and so no name of the problem.
            guard error.problem?.status == 404 else { throw error }
            return nil
        }
    }

    /// Acknowledged and byte-exact: what was receipted is there, as it was sent.
    private func check(receipted assets: [AssetID]) async throws {
        let keys = try await receiptKeys()
        for id in assets {
            guard let signed = ledger.receipts[id] else { continue }
            let signature = ReceiptKeyID(signed.keyID).map {
                ReceiptSignature(keyID: $0, bytes: signed.signature.bytes)
            }
            let isGenuine = signature.flatMap { keys[signed.keyID]?.isValid($0, for: signed.receipt.canonicalBytes) }
            if isGenuine != true { ledger.report("the receipt of \(id) is not signed by the library") }
            try await checkAsset(id, "it has a receipt")
        }
    }

    /// Whole: every resource of the asset is served with the bytes that were captured.
    private func checkAsset(_ id: AssetID, _ reason: String) async throws {
        guard let capture = ledger.capture(id), let reader = devices.first else { return }
        for resource in capture.manifest.resources {
            do {
                let bytes = try await reader.bytes(of: resource.id, in: id)
                guard ContentHasher.digest(bytes) == resource.digest else {
                    ledger.report("resource \(resource.id) of \(id) is served with other bytes")
                    continue
                }
            } catch let error as LoadError {
                ledger.report("asset \(id) is not whole, and \(reason): \(error)")
            }
        }
    }

    /// Exactly one asset a capture: the list shows every receipted asset once, all of it, and nothing that nobody made.
    private func checkList() async throws {
        guard let reader = devices.first else { return }
        var shown: Set<AssetID> = []
        for asset in try await reader.assets() {
            if !shown.insert(asset.id).inserted { ledger.report("asset \(asset.id) is listed twice") }
            guard let capture = ledger.capture(asset.id) else {
                ledger.report("asset \(asset.id) is listed, and nobody made it")
                continue
            }
            if Set(asset.resources) != Set(capture.manifest.resources) {
                ledger.report("asset \(asset.id) is listed in part")
            }
            if ledger.receipts[asset.id] == nil { try await checkAsset(asset.id, "it is listed") }
        }
        for id in ledger.receipts.keys where !shown.contains(id) { ledger.report("asset \(id) is not listed") }
    }

    /// Nothing referenced is absent: a crash may leave bytes without a row, which go to quarantine, and nothing else.
    private func checkFindings(hashing: Bool, repairing: Bool) async throws {
        let choice = MaintenanceTask.Verification(isHashing: hashing, isRepairing: repairing)
        let answer = try await server.operators().verify(choice)
        for finding in answer.findings where finding.kind != .unreferencedBytes || finding.isQuarantined != repairing {
            ledger.report("the library's verification found \(finding.kind.rawValue): \(finding.object)")
        }
    }

    private func receiptKeys() async throws -> [String: ReceiptVerificationKey] {
        let answer = try await server.client().authority()
        return try answer.receiptKeys.reduce(into: [:]) { keys, key in
            keys[key.id] = try ReceiptVerificationKey(der: key.publicKey.bytes)
        }
    }
}
