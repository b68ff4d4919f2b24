package import PhotoModel

/// The response to a manifest: the remaining uploads.
package struct AssetCreationResponse: Hashable, Sendable, Codable {
    /// The asset's identifier.
    package var assetID: AssetID
    /// One upload per resource, in the manifest's order; empty once the asset is committed.
    package var uploads: [UploadStatus]
    /// The receipt, if the asset was already committed.
    package var receipt: SignedReceipt?
    /// The outcome for the album, if the asset was already committed.
    package var album: AlbumOutcome?

    package init(assetID: AssetID, uploads: [UploadStatus], receipt: SignedReceipt? = nil, album: AlbumOutcome? = nil) {
        self.assetID = assetID
        self.uploads = uploads
        self.receipt = receipt
        self.album = album
    }
}

/// The status of an upload.
package struct UploadStatus: Hashable, Sendable, Codable {
    /// The upload's identifier; its path is `Endpoint.appendUpload`'s.
    package var id: UploadID
    /// The resource whose bytes it takes.
    package var resourceID: ResourceID
    /// The number of durable bytes: a promise that never decreases.
    package var offset: Int64
    /// The total number of bytes.
    package var length: Int64
    /// Whether every byte is durable and the digest matched.
    package var isComplete: Bool
    /// When it is dropped if it is not used.
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

extension UploadStatus {
    /// Decodes a status; numbers are clamped to what a resource can have, so that differences cannot overflow.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> Int64 {
            try container.decode(Int64.self, forKey: key).clamped(to: 0...AssetResource.maximumByteCount)
        }
        self.init(
            id: try container.decode(UploadID.self, forKey: .id),
            resourceID: try container.decode(ResourceID.self, forKey: .resourceID),
            offset: try count(.offset),
            length: try count(.length),
            isComplete: try container.decode(Bool.self, forKey: .isComplete),
            expires: try container.decode(WallTime.self, forKey: .expires)
        )
    }
}

/// The outcome of a request for an album; never a silent success.
package enum AlbumOutcome: Hashable, Sendable, Codable {
    /// Why an album was deferred.
    package struct DeferralReason: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        package let rawValue: String
        /// Any name; unknown ones are kept.
        package init(rawValue: String) { self.rawValue = rawValue }
        /// It waits for a decision on readWrite.
        package static let notDetermined = DeferralReason(rawValue: "notDetermined")
        /// readWrite was denied.
        package static let denied = DeferralReason(rawValue: "denied")
        /// Policy forbids readWrite.
        package static let restricted = DeferralReason(rawValue: "restricted")
        /// The device is limited and the album is not granted.
        package static let limited = DeferralReason(rawValue: "limited")
        /// The album named by identifier does not exist.
        package static let notFound = DeferralReason(rawValue: "notFound")
        /// The asset is in as many albums as it may be.
        package static let full = DeferralReason(rawValue: "full")
    }

    /// The asset is in the album.
    case applied(AlbumID)
    /// The album was created, and the asset is in it.
    case created(AlbumID)
    /// The request is kept; a later decision applies it without another upload.
    case deferred(DeferralReason)

    private enum CodingKeys: CodingKey {
        case applied, created, deferred
    }

    /// Decodes an object with exactly one of the three keys.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw decoder.corruption("an album outcome has exactly one key")
        }
        switch key {
        case .applied: self = .applied(try container.decode(AlbumID.self, forKey: key))
        case .created: self = .created(try container.decode(AlbumID.self, forKey: key))
        case .deferred:
            let reason = try container.decode(DeferralReason.self, forKey: key)
            guard reason.rawValue.utf8.count <= APILimits.holdReasonByteCount else {
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: container,
                    debugDescription: "a reason has at most \(APILimits.holdReasonByteCount) bytes"
                )
            }
            self = .deferred(reason)
        }
    }

    /// Encodes an object with exactly one of the three keys.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .applied(let id): try container.encode(id, forKey: .applied)
        case .created(let id): try container.encode(id, forKey: .created)
        case .deferred(let reason): try container.encode(reason, forKey: .deferred)
        }
    }
}

/// The response to a commit.
package struct CommitResponse: Hashable, Sendable, Codable {
    /// The signed receipt; repeating the call returns the same one.
    package var receipt: SignedReceipt
    /// The outcome for the album; nil if none was requested.
    package var album: AlbumOutcome?

    package init(receipt: SignedReceipt, album: AlbumOutcome? = nil) {
        self.receipt = receipt
        self.album = album
    }
}

/// The response to a batch: one result per asset, in the batch's order.
package struct BatchResponse: Hashable, Sendable, Codable {
    /// The result of one asset; exactly one of commit and problem is set.
    package struct Result: Hashable, Sendable, Codable {
        /// The asset's identifier.
        package var assetID: AssetID
        /// The commit, if it succeeded.
        package var commit: CommitResponse?
        /// The problem, if it failed.
        package var problem: ProblemDetails?

        package init(assetID: AssetID, commit: CommitResponse) {
            self.assetID = assetID
            self.commit = commit
        }

        package init(assetID: AssetID, problem: ProblemDetails) {
            self.assetID = assetID
            self.problem = problem
        }
    }

    /// One result per asset.
    package var results: [Result]

    package init(results: [Result]) { self.results = results }
}

/// Asks which of these digests the library has, within the caller's view.
package struct HashCheckRequest: Hashable, Sendable, Codable {
    /// At most `APILimits.hashCheckCount`.
    package var digests: [ContentDigest]
}

/// The digests the library has, within the caller's view.
package struct HashCheckResponse: Hashable, Sendable, Codable {
    /// The known digests, in the request's order.
    package var known: [ContentDigest]
    package init(known: [ContentDigest]) { self.known = known }
}
