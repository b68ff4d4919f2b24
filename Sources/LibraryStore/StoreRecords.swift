package import Authorization
package import LibraryAPI
package import Persistence
package import PhotoModel
package import Replication

/// Which library it is, and how far it has come.
package struct LibraryIdentity: Hashable, Sendable {
    /// The library.
    package let id: LibraryID
    /// Its history.
    package let epoch: LibraryEpoch
    /// The last change that was admitted.
    package let lastChange: ChangeNumber
}

/// One upload as its row has it.
package struct UploadRecord: Hashable, Sendable {
    /// Names the upload; also the staged file.
    package let id: UploadID
    /// The asset that it is for.
    package let assetID: AssetID
    /// The resource whose bytes it takes.
    package let resourceID: ResourceID
    /// The digest that was announced.
    package let digest: ContentDigest
    /// The length that was announced.
    package let byteCount: Int64
    /// Bytes that were promised.
    package let durableByteCount: Int64
    /// Whether every byte is durable and the digest was right.
    package let isComplete: Bool
    /// When somebody last touched it.
    package let touched: WallTime

    /// What a device is told.
    package var status: UploadStatus {
        UploadStatus(
            id: id,
            resourceID: resourceID,
            offset: durableByteCount,
            length: byteCount,
            isComplete: isComplete,
            expires: touched.advanced(by: .seconds(APILimits.uploadAgeSeconds))
        )
    }
}

/// Bytes of an upload that have become durable.
package struct UploadProgress: Hashable, Sendable {
    /// The upload.
    package let id: UploadID
    /// Bytes that are durable now.
    package let durableByteCount: Int64
    /// Whether that is all of them, and the digest was right.
    package let isComplete: Bool
}

/// What has to be done before an asset can be committed.
package enum CommitPlan: Sendable {
    /// Nothing: this was answered before.
    case done(CommitAnswer)
    /// These bytes are to be published.
    case publish([Publication], AssetManifest)
}

/// An asset whose bytes are published and that is to become visible.
package struct CommitRequest: Sendable {
    /// What the asset is.
    package let manifest: AssetManifest
    /// For whom.
    package let caller: StoreCaller
    /// Whether a creation of the caller must be there still; false for batches.
    package let needsCreation: Bool
}

/// One answer of the change feed.
package struct ChangePage: Hashable, Sendable {
    /// What changed, in the order of the changes.
    package let changes: [EntityChange]
    /// Where to go on.
    package let position: ChangePosition
    /// Whether more is there already.
    package let hasMore: Bool
}

/// Whose view of the changes is wanted.
package enum ChangeViewer: Hashable, Sendable {
    /// Everything; the version belongs into the token.
    case everything(grantVersion: UInt64)
    /// What a limited device sees.
    case limited(DeviceID, Selection, grantVersion: UInt64)

    var grantVersion: UInt64 {
        switch self {
        case .everything(let version), .limited(_, _, let version): version
        }
    }
}

/// What a device says of itself; shown, never trusted.
package struct DeviceProfile: Hashable, Sendable, Codable {
    /// Its display name.
    package var name: String
    /// The program and its version.
    package var build: String
    /// Hashes of what its hardware says.
    package var hardwareHints: [String]
    /// Why it wants access.
    package var usage: UsageTexts
    /// When it enrolled.
    package var enrolled: WallTime
    /// When it was last in contact.
    package var lastSeen: WallTime?
    /// What it last said of itself.
    package var status: HeartbeatRequest.Status?
    /// The ceilings' tags that it has.
    package var tags: [String]

    /// A profile at the enrolment.
    package init(
        name: String,
        build: String,
        hardwareHints: [String] = [],
        usage: UsageTexts,
        enrolled: WallTime,
        tags: [String] = []
    ) {
        self.name = name
        self.build = build
        self.hardwareHints = hardwareHints
        self.usage = usage
        self.enrolled = enrolled
        self.tags = tags
    }
}

/// A device with everything that is recorded of it.
package struct DeviceRow: Hashable, Sendable {
    /// What was decided.
    package let record: DecisionRecord
    /// What it says of itself.
    package let profile: DeviceProfile
}

/// A key of a device.
package struct DeviceKeyRecord: Hashable, Sendable {
    /// SHA-256 of the public key.
    package let fingerprint: ContentDigest
    /// When the certificate for it ends.
    package let certificateExpires: WallTime
    /// Whether the device has used it, so that older keys are void.
    package let isCurrent: Bool

    /// Takes the parts as they are.
    package init(fingerprint: ContentDigest, certificateExpires: WallTime, isCurrent: Bool) {
        self.fingerprint = fingerprint
        self.certificateExpires = certificateExpires
        self.isCurrent = isCurrent
    }
}

/// What the server makes of a replica's contact.
package struct ContactAnswer: Hashable, Sendable {
    /// The verdict; its remedy tells what follows.
    package let verdict: ContactVerdict
    /// The replica's highest counter that was taken or refused.
    package let acknowledged: UInt64
    /// The ticket for the next contact; nil when the verdict is not to go on.
    package let ticket: String?
}

/// A replica as the operator's overview shows it.
package struct ReplicaSummary: Hashable, Sendable {
    /// The incarnation.
    package let incarnation: ReplicaID
    /// The highest counter that was taken or refused.
    package let acknowledged: UInt64
    /// When it was last in contact.
    package let lastContact: WallTime
    /// Changes that were refused.
    package let refusedCount: Int
}

/// Where a call came from, for the audit.
package struct AuditContext: Hashable, Sendable {
    /// The key's fingerprint.
    package var fingerprint: String?
    /// The request's identifier.
    package var requestID: String?
    /// The address that it came from.
    package var address: String?

    /// Takes what is known.
    package init(fingerprint: String? = nil, requestID: String? = nil, address: String? = nil) {
        self.fingerprint = fingerprint
        self.requestID = requestID
        self.address = address
    }
}

/// The kinds of record that the server keeps for itself.
package struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// The name in rows.
    package let rawValue: String
    /// Any name; each kind is named once, here or by the server.
    package init(rawValue: String) { self.rawValue = rawValue }
    /// Enrolments.
    package static let enrollment = RecordKind(rawValue: "enrollment")
    /// Enrolment tokens; the secondary key is the secret's digest.
    package static let enrollmentToken = RecordKind(rawValue: "enrollmentToken")
    /// Picker sessions; the secondary key is the digest of the person's secret.
    package static let pickerSession = RecordKind(rawValue: "pickerSession")
    /// Operators.
    package static let operatorAccount = RecordKind(rawValue: "operator")
    /// The policy's ceilings, by tag.
    package static let ceiling = RecordKind(rawValue: "ceiling")
    /// Requests for a larger selection.
    package static let expansion = RecordKind(rawValue: "expansion")
    /// Logins on the web page; the secondary key is the secret's digest.
    package static let webLogin = RecordKind(rawValue: "webLogin")
}

/// Names a record of one kind.
package struct RecordID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// A record that the server keeps for itself.
package struct StoredRecord: Hashable, Sendable {
    /// Names it.
    package let id: RecordID
    /// What it can also be found by.
    package var secondary: ContentDigest?
    /// When it may be forgotten; nil for never.
    package var expires: WallTime?
    /// The server's own JSON.
    package var document: String

    /// Takes the parts as they are.
    package init(id: RecordID, secondary: ContentDigest? = nil, expires: WallTime? = nil, document: String) {
        self.id = id
        self.secondary = secondary
        self.expires = expires
        self.document = document
    }
}

/// Counts and sizes of a library.
package struct LibraryStatistics: Hashable, Sendable, Codable {
    /// Assets that are not in the trash.
    package var assets: Int
    /// Assets in the trash.
    package var trashed: Int
    /// Albums.
    package var albums: Int
    /// Different contents.
    package var contents: Int
    /// Their bytes.
    package var contentBytes: Int64
    /// Uploads under way.
    package var uploads: Int
    /// Contents in quarantine.
    package var quarantined: Int
    /// Devices.
    package var devices: Int
    /// The last change.
    package var lastChange: ChangeNumber
}

/// Content that a row says is there.
package struct ContentRow: Hashable, Sendable {
    /// Where it is.
    package let address: ContentAddress
    /// How many bytes it has.
    package let byteCount: Int64
}

/// Content that was taken out.
package struct QuarantinedContent: Hashable, Sendable {
    /// Its digest.
    package let digest: ContentDigest
    /// The name in quarantine.
    package let fileName: String
    /// Why, in words.
    package let reason: String
    /// Since when.
    package let since: WallTime
}
