package import PhotoModel

/// The answer to a manifest: what is still to be sent.
package struct AssetCreationResponse: Hashable, Sendable, Codable {
    /// Names the asset.
    package var assetID: AssetID
    /// One upload a resource, in the manifest's order; empty once the asset is committed.
    package var uploads: [UploadStatus]
    /// The receipt, when the asset was committed before.
    package var receipt: SignedReceipt?
    /// What became of the album, when the asset was committed before.
    package var album: AlbumOutcome?

    package init(
        assetID: AssetID,
        uploads: [UploadStatus],
        receipt: SignedReceipt? = nil,
        album: AlbumOutcome? = nil
    ) {
        self.assetID = assetID
        self.uploads = uploads
        self.receipt = receipt
        self.album = album
    }
}

/// Where one upload stands.
package struct UploadStatus: Hashable, Sendable, Codable {
    /// Names the upload; its path is `Endpoint.appendUpload`'s.
    package var id: UploadID
    /// The resource whose bytes it takes.
    package var resourceID: ResourceID
    /// Bytes that are durable: a promise, never smaller afterwards.
    package var offset: Int64
    /// Bytes of the whole.
    package var length: Int64
    /// Whether every byte is durable and the digest was right.
    package var isComplete: Bool
    /// When it will be given up if nobody touches it.
    package var expires: WallTime

    package init(
        id: UploadID,
        resourceID: ResourceID,
        offset: Int64,
        length: Int64,
        isComplete: Bool,
        expires: WallTime
    ) {
        self.id = id
        self.resourceID = resourceID
        self.offset = offset
        self.length = length
        self.isComplete = isComplete
        self.expires = expires
    }
}

/// What became of the wish for an album; never a silent success.
package enum AlbumOutcome: Hashable, Sendable, Codable {
    /// Why an album was not applied yet.
    package struct DeferralReason: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        package let rawValue: String
        /// Any name; unknown ones are kept.
        package init(rawValue: String) { self.rawValue = rawValue }
        /// Waits for a decision on readWrite.
        package static let notDetermined = DeferralReason(rawValue: "notDetermined")
        /// readWrite was denied.
        package static let denied = DeferralReason(rawValue: "denied")
        /// The policy forbids readWrite.
        package static let restricted = DeferralReason(rawValue: "restricted")
        /// The device is limited and the album is not granted.
        package static let limited = DeferralReason(rawValue: "limited")
        /// The album named by its id does not exist.
        package static let notFound = DeferralReason(rawValue: "notFound")
    }

    /// The asset is in the album.
    case applied(AlbumID)
    /// The album was made, and the asset is in it.
    case created(AlbumID)
    /// The wish is kept; a later decision applies it without another upload.
    case deferred(DeferralReason)

    private enum CodingKeys: CodingKey {
        case applied, created, deferred
    }

    /// Reads an object with exactly one of the three keys.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "an album outcome has exactly one key")
            )
        }
        switch key {
        case .applied: self = .applied(try container.decode(AlbumID.self, forKey: key))
        case .created: self = .created(try container.decode(AlbumID.self, forKey: key))
        case .deferred: self = .deferred(try container.decode(DeferralReason.self, forKey: key))
        }
    }

    /// Writes an object with exactly one of the three keys.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .applied(let id): try container.encode(id, forKey: .applied)
        case .created(let id): try container.encode(id, forKey: .created)
        case .deferred(let reason): try container.encode(reason, forKey: .deferred)
        }
    }
}

/// The answer to a commit.
package struct CommitResponse: Hashable, Sendable, Codable {
    /// The server's signed word; asking again gives the same.
    package var receipt: SignedReceipt
    /// What became of the wish for an album; nil when there was none.
    package var album: AlbumOutcome?

    package init(receipt: SignedReceipt, album: AlbumOutcome? = nil) {
        self.receipt = receipt
        self.album = album
    }
}

/// The answer to a batch: one result an asset, in the batch's order.
package struct BatchResponse: Hashable, Sendable, Codable {
    /// What became of one asset; exactly one of the two is there.
    package struct Result: Hashable, Sendable, Codable {
        /// Names the asset.
        package var assetID: AssetID
        /// The commit, when it was made.
        package var commit: CommitResponse?
        /// Why not, when it was not.
        package var problem: ProblemDetails?

        /// A commit.
        package init(assetID: AssetID, commit: CommitResponse) {
            self.assetID = assetID
            self.commit = commit
        }

        /// A refusal.
        package init(assetID: AssetID, problem: ProblemDetails) {
            self.assetID = assetID
            self.problem = problem
        }
    }

    /// One result an asset.
    package var results: [Result]

    package init(results: [Result]) { self.results = results }
}

/// Which of these digests the library has, within the caller's view.
package struct HashCheckRequest: Hashable, Sendable, Codable {
    /// At most `APILimits.hashCheckCount`.
    package var digests: [ContentDigest]
    package init(digests: [ContentDigest]) { self.digests = digests }
}

/// The digests that the library has, within the caller's view.
package struct HashCheckResponse: Hashable, Sendable, Codable {
    /// Those of the request that are there, in its order.
    package var known: [ContentDigest]
    package init(known: [ContentDigest]) { self.known = known }
}
