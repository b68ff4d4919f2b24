import Authorization
import DeviceIdentity
import LibraryAPI
import PhotoModel

/// Devices and other things as a server would tell of them.
enum Samples {
    static let now = CommandRunner.now

    static func device(
        _ number: UInt128,
        name: String = "gate",
        state: IdentityState.State = .active,
        readWrite: AuthorizationResponse.Status = .notDetermined
    ) -> DeviceSummary {
        var device = DeviceSummary(
            id: DeviceID(rawValue: number),
            name: name,
            build: "tintype-agent 1",
            state: IdentityState(state: state),
            keyFingerprint: Fingerprint(hashing: [UInt8(truncatingIfNeeded: number)]).digest,
            firstSeen: now.advanced(by: .seconds(-7200)),
            usage: UsageTexts(add: "Saves what passes the gate."),
            authorization: AuthorizationResponse(
                addOnly: .authorized,
                readWrite: readWrite,
                legacy: .denied,
                grantVersion: 3,
                next: ""
            ),
            change: ("administrator uid:0", now.advanced(by: .seconds(-60)), "")
        )
        device.lastSeen = now.advanced(by: .seconds(-5))
        if state == .pending {
            device.verificationCode = "WDJB-MJHT"
            device.authorization.addOnly = .notDetermined
        }
        return device
    }

    /// An audit of so many entries, chained.
    static func audit(count: Int) -> [AuditEntry] {
        let chain = AuditChain { Fingerprint(hashing: $0).digest }
        var head = AuditHead.start
        return (0..<count).map { number in
            var content = AuditEntry.Content(.decide, by: "administrator uid:\(number)")
            content.reason = "reason \(number)"
            let entry = chain.entry(content, at: now.advanced(by: .seconds(Int64(number - count))), after: head)
            head = AuditHead(entry)
            return entry
        }
    }

    static let asset = AssetID(rawValue: 7)

    /// A Live Photo of which something is known, with the bytes of its two files.
    static func livePhoto(_ number: UInt128 = 7, name: String = "IMG_1") -> (asset: Asset, files: [[UInt8]]) {
        let files = [UInt8(1), 2].map { part in
            [UInt8](repeating: part &+ UInt8(truncatingIfNeeded: number), count: 2500)
        }
        let parts: [(AssetResourceType, String, String)] = [
            (.photo, "image/jpeg", "\(name).JPG"), (.pairedVideo, "video/quicktime", "\(name).MOV"),
        ]
        var asset = Asset(
            id: AssetID(rawValue: number),
            mediaType: .image,
            captureTime: CaptureTime(
                wall: WallTime("2026-07-01T22:30:05Z") ?? now,
                utcOffsetSeconds: 7200,
                source: .deviceClock,
                isSynchronized: true
            ),
            resources: zip(parts, files).map { part, bytes in
                AssetResource(
                    id: ResourceID(rawValue: number * 10 + UInt128(part.0.rawValue)),
                    type: part.0,
                    digest: Fingerprint(hashing: bytes).digest,
                    byteCount: Int64(bytes.count),
                    contentType: part.1,
                    originalFilename: FileName(part.2)
                )
            }
        )
        asset.deviceID = DeviceID(rawValue: 1)
        return (asset, files)
    }

    /// An asset with an edit of these bytes.
    static func edited(_ asset: Asset, _ text: String) -> (asset: Asset, edit: AssetResource) {
        let edit = AssetResource(
            id: ResourceID(rawValue: 99),
            type: .fullSizePhoto,
            digest: Fingerprint(hashing: Array(text.utf8)).digest,
            byteCount: Int64(text.utf8.count),
            contentType: "image/jpeg",
            originalFilename: FileName("render.jpg")
        )
        var edited = asset
        edited.resources.append(edit)
        return (edited, edit)
    }

    /// A receipt and the authority file that its key is in.
    static func receipt(key: DeviceKey) throws -> (signed: SignedReceipt, authority: AuthorityResponse) {
        let receipt = Receipt(
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: 2),
            deviceID: DeviceID(rawValue: 3),
            assetID: asset,
            changeNumber: ChangeNumber(rawValue: 4),
            time: now,
            resources: [
                Receipt.Resource(
                    id: ResourceID(rawValue: 8),
                    type: .photo,
                    byteCount: 9,
                    digest: Fingerprint(hashing: [9]).digest
                )
            ]
        )
        let signing = ReceiptKey(key)
        let signature = try signing.signature(for: receipt.canonicalBytes)
        let verification = signing.verificationKey
        return (
            SignedReceipt(receipt: receipt, keyID: "\(signature.keyID)", signature: signature.bytes),
            AuthorityResponse(
                certificates: "",
                receiptKeys: [.init(id: "\(verification.id)", publicKey: verification.der)]
            )
        )
    }
}
