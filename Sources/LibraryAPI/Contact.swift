package import PhotoModel

/// The contact that opens every sync: the device's identity, its history and its status.
///
/// With nothing to do it is the whole sync; its size does not grow with the library.
package struct ContactRequest: Hashable, Sendable, Codable {
    /// The replica's history as the device knows it.
    package struct Replica: Hashable, Sendable, Codable {
        /// The incarnation: 32 hexadecimal digits.
        package var incarnation: String
        /// The highest assigned counter.
        package var counter: UInt64
        /// The rolling hash over all changes up to that counter.
        package var chainHash: ContentDigest
        /// A hash of the host's identity.
        package var hostFingerprint: String
        /// The host's boot.
        package var bootID: BootID?
        /// The continuity ticket from the last contact; nil at the first one.
        package var ticket: String?

        package init(
            incarnation: String,
            counter: UInt64,
            chainHash: ContentDigest,
            hostFingerprint: String,
            bootID: BootID? = nil,
            ticket: String? = nil
        ) {
            self.incarnation = incarnation
            self.counter = counter
            self.chainHash = chainHash
            self.hostFingerprint = hostFingerprint
            self.bootID = bootID
            self.ticket = ticket
        }
    }

    /// The device's status, for the operator's overview.
    package struct Status: Hashable, Sendable, Codable {
        /// Entries in the queue.
        package var queuedAssets: Int
        /// Their bytes.
        package var queuedBytes: Int64
        /// Changes in the dead letters.
        package var deadLetters: Int
        /// How many of those are changes of the view rather than captures; nil if not reported.
        package var refusedChanges: Int?
        /// Free bytes on the captures' disk.
        package var freeBytes: Int64
        /// Held entries, by reason.
        package var holds: [String: Int]
        /// The program and its version.
        package var build: String

        package init(
            queuedAssets: Int,
            queuedBytes: Int64,
            deadLetters: Int = 0,
            refusedChanges: Int? = nil,
            freeBytes: Int64,
            holds: [String: Int] = [:],
            build: String
        ) {
            self.queuedAssets = queuedAssets
            self.queuedBytes = queuedBytes
            self.deadLetters = deadLetters
            self.refusedChanges = refusedChanges
            self.freeBytes = freeBytes
            self.holds = holds
            self.build = build
        }

        /// Decodes a device's status: counts are clamped to 0...2^53, and a status beyond its limits is refused,
        /// because it is stored and shown.
        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func count(_ key: CodingKeys) throws -> Int64 {
                try container.decode(Int64.self, forKey: key).clamped(to: 0...1 << 53)
            }
            func require(_ isWithinLimits: Bool, _ key: CodingKeys, _ limit: String) throws {
                guard !isWithinLimits else { return }
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: limit)
            }
            let holds = try container.decode([String: Int].self, forKey: .holds)
            try require(
                holds.count <= APILimits.holdReasonCount
                    && holds.keys.allSatisfy { $0.utf8.count <= APILimits.holdReasonByteCount },
                .holds,
                "a status has at most \(APILimits.holdReasonCount) reasons of \(APILimits.holdReasonByteCount) bytes"
            )
            let build = try container.decode(String.self, forKey: .build)
            let buildLimit = APILimits.deviceNameByteCount
            try require(build.utf8.count <= buildLimit, .build, "a build has at most \(buildLimit) bytes")
            let refused = try container.decodeIfPresent(Int.self, forKey: .refusedChanges)
            self.init(
                queuedAssets: Int(try count(.queuedAssets)),
                queuedBytes: try count(.queuedBytes),
                deadLetters: Int(try count(.deadLetters)),
                refusedChanges: refused?.clamped(to: 0...1 << 53),
                freeBytes: try count(.freeBytes),
                holds: holds.mapValues { $0.clamped(to: 0...1 << 53) },
                build: build
            )
        }
    }

    /// The replica's history.
    package var replica: Replica
    /// The device's clock.
    package var time: WallTime
    /// The last grant version the device saw.
    package var grantVersion: UInt64?
    /// The device's position in the feed.
    package var token: ChangeToken?
    /// The device's status.
    package var status: Status?
    /// The draining device's remaining deliveries, if it has news.
    package var drain: DrainReport?
    /// The consents for its cameras and microphones; nil if unknown.
    package var consents: [DeviceConsent]?
    /// The number of the last consent withdrawal it has applied; nil for none.
    package var consentWithdrawal: UInt64?

    package init(
        replica: Replica,
        time: WallTime,
        grantVersion: UInt64? = nil,
        token: ChangeToken? = nil,
        status: Status? = nil,
        drain: DrainReport? = nil,
        consents: [DeviceConsent]? = nil,
        consentWithdrawal: UInt64? = nil
    ) {
        self.consents = consents
        self.consentWithdrawal = consentWithdrawal
        self.replica = replica
        self.time = time
        self.grantVersion = grantVersion
        self.token = token
        self.status = status
        self.drain = drain
    }

    /// Whether its report on cameras and microphones is within the limits.
    package var isConsentReportWithinLimits: Bool {
        (consents?.count ?? 0) <= APILimits.consentCount && consents?.allSatisfy(\.isWithinLimits) ?? true
    }
}

/// The server's response to a contact.
package struct ContactResponse: Hashable, Sendable, Codable {
    /// The server's verdict on the replica's history.
    package struct Continuity: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        package let rawValue: String
        /// Any name; unknown ones are kept and treated as `.suspect`.
        package init(rawValue: String) { self.rawValue = rawValue }
        /// It continues as it should.
        package static let continued = Continuity(rawValue: "continued")
        /// The server knows more than the device: an old image was restored.
        ///
        /// Draw a new incarnation.
        package static let rolledBack = Continuity(rawValue: "rolledBack")
        /// Two histories share an incarnation: an operator must choose which one continues.
        package static let suspect = Continuity(rawValue: "suspect")
    }

    /// The server's time.
    package var time: WallTime
    /// The library.
    package var libraryID: LibraryID
    /// Its history; after a change, offer everything acknowledged again.
    package var libraryEpoch: LibraryEpoch
    /// The server's verdict on the replica's history.
    package var continuity: Continuity
    /// The replica's highest counter known to the server.
    package var acknowledged: UInt64
    /// The ticket for the next contact; store it before doing anything else.
    package var ticket: String?
    /// The grant's version; if it differs from the device's, fetch the authorization.
    package var grantVersion: UInt64
    /// Whether the feed has anything after the device's token.
    package var hasChanges: Bool
    /// Originals up to this change are backed up; nil if no backup is configured.
    ///
    /// A device that may not read gets the change of its latest backed-up receipt, if it has one.
    package var backupWatermark: ChangeNumber?
    /// At most 100 of the device's assets whose bytes the server lost: offer them again if they still exist.
    package var missing: [AssetID]?
    /// Seconds until the next contact.
    package var intervalSeconds: Int?
    /// The draining device's progress.
    package var drain: DrainProgress?
    /// Consent withdrawals that the device has not confirmed; at most `APILimits.consentCount`.
    package var consentWithdrawals: [ConsentWithdrawal]?

    package init(
        time: WallTime,
        libraryID: LibraryID,
        libraryEpoch: LibraryEpoch,
        continuity: Continuity,
        acknowledged: UInt64,
        ticket: String? = nil,
        grantVersion: UInt64,
        hasChanges: Bool,
        backupWatermark: ChangeNumber? = nil,
        missing: [AssetID]? = nil,
        intervalSeconds: Int? = nil,
        drain: DrainProgress? = nil,
        consentWithdrawals: [ConsentWithdrawal]? = nil
    ) {
        self.consentWithdrawals = consentWithdrawals
        self.time = time
        self.libraryID = libraryID
        self.libraryEpoch = libraryEpoch
        self.continuity = continuity
        self.acknowledged = acknowledged
        self.ticket = ticket
        self.grantVersion = grantVersion
        self.hasChanges = hasChanges
        self.backupWatermark = backupWatermark
        self.missing = missing
        self.intervalSeconds = intervalSeconds
        self.drain = drain
    }
}
