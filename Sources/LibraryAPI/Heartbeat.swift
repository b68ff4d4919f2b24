package import PhotoModel

/// The contact that opens every sync: who is there, what it has written, how it is.
///
/// With nothing to do it is the whole sync; its size does not grow with the library.
package struct HeartbeatRequest: Hashable, Sendable, Codable {
    /// The replica's history, as far as the device knows it.
    package struct Replica: Hashable, Sendable, Codable {
        /// The incarnation: 32 hexadecimal digits.
        package var incarnation: String
        /// The highest counter that was given to a change.
        package var counter: UInt64
        /// The rolling hash over all changes up to that counter.
        package var chainHash: ContentDigest
        /// A hash of what identifies the host.
        package var hostFingerprint: String
        /// The host's boot.
        package var bootID: BootID?
        /// The continuity ticket from the last contact; nil at the first.
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

    /// How the device is, for the operator's overview.
    package struct Status: Hashable, Sendable, Codable {
        /// Entries in the queue.
        package var queuedAssets: Int
        /// Their bytes.
        package var queuedBytes: Int64
        /// Changes in the dead letters.
        package var deadLetters: Int
        /// How many of those are changes of the view and no captures; nil where the device does not say.
        package var refusedChanges: Int?
        /// Free bytes where captures go.
        package var freeBytes: Int64
        /// Entries held back, by reason.
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

        /// Reads what a device says of itself: counts are held to 0 to 2^53, and a status beyond its limits is refused,
        /// since it is kept and shown.
        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func count(_ key: CodingKeys) throws -> Int64 {
                try container.decode(Int64.self, forKey: key).clamped(to: 0...1 << 53)
            }
            let holds = try container.decode([String: Int].self, forKey: .holds)
            let build = try container.decode(String.self, forKey: .build)
            guard holds.count <= APILimits.holdReasonCount,
                holds.keys.allSatisfy({ $0.utf8.count <= APILimits.holdReasonByteCount }),
                build.utf8.count <= APILimits.deviceNameByteCount
            else {
                throw DecodingError.dataCorruptedError(
                    forKey: .holds,
                    in: container,
                    debugDescription: "a status has at most \(APILimits.holdReasonCount) reasons of "
                        + "\(APILimits.holdReasonByteCount) bytes, and a build of \(APILimits.deviceNameByteCount)"
                )
            }
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
    /// What the device's clock says.
    package var time: WallTime
    /// The version of the grant that the device last saw.
    package var grantVersion: UInt64?
    /// How far the device has read the feed.
    package var token: ChangeToken?
    /// How the device is.
    package var status: Status?
    /// What the device still has to deliver, where it is being retired and has something to say about that.
    package var drain: DrainReport?

    package init(
        replica: Replica,
        time: WallTime,
        grantVersion: UInt64? = nil,
        token: ChangeToken? = nil,
        status: Status? = nil,
        drain: DrainReport? = nil
    ) {
        self.replica = replica
        self.time = time
        self.grantVersion = grantVersion
        self.token = token
        self.status = status
        self.drain = drain
    }
}

/// What the server says at a contact.
package struct HeartbeatResponse: Hashable, Sendable, Codable {
    /// What the server makes of the replica's history.
    package struct Continuity: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        package let rawValue: String
        /// Any name; unknown ones are kept and treated as `.suspect`.
        package init(rawValue: String) { self.rawValue = rawValue }
        /// It goes on as it should.
        package static let continued = Continuity(rawValue: "continued")
        /// The server knows more than the device: an old image was restored.
        ///
        /// Draw a new incarnation.
        package static let rolledBack = Continuity(rawValue: "rolledBack")
        /// Two histories under one incarnation: an operator has to say which goes on.
        package static let suspect = Continuity(rawValue: "suspect")
    }

    /// The server's time.
    package var time: WallTime
    /// The library.
    package var libraryID: LibraryID
    /// Its history; a new one means: offer again what was acknowledged.
    package var libraryEpoch: LibraryEpoch
    /// What the server makes of the replica's history.
    package var continuity: Continuity
    /// The replica's highest counter that the server has.
    package var acknowledged: UInt64
    /// The ticket for the next contact; to be stored before anything else is done.
    package var ticket: String?
    /// The version of the grant; another one than the device knows means: ask for the authorization.
    package var grantVersion: UInt64
    /// Whether the feed holds something after the device's token.
    package var hasChanges: Bool
    /// Originals up to this change are in a backup; nil when no backup is configured.
    package var backupWatermark: ChangeNumber?
    /// Assets of the device whose bytes the server lost, at most 100: offer them again where the bytes are still there.
    package var missing: [AssetID]?
    /// Seconds until the next contact is wanted.
    package var intervalSeconds: Int?
    /// How far the device has come, where it is being retired.
    package var drain: DrainProgress?

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
        drain: DrainProgress? = nil
    ) {
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
