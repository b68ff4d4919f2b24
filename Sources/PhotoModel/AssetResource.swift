/// A resource's role in its asset; raw values are those of PhotoKit's `PHAssetResourceType`.
public struct AssetResourceType: RawRepresentable, Hashable, Sendable, Codable {
    /// PhotoKit's number; unknown ones are preserved.
    public let rawValue: Int
    /// Any number; unknown ones are kept.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The original picture.
    public static let photo = AssetResourceType(rawValue: 1)
    /// The original movie.
    public static let video = AssetResourceType(rawValue: 2)
    /// Sound only.
    public static let audio = AssetResourceType(rawValue: 3)
    /// An alternative form of the same picture, such as the JPEG beside a RAW.
    public static let alternatePhoto = AssetResourceType(rawValue: 4)
    /// The picture as edited.
    public static let fullSizePhoto = AssetResourceType(rawValue: 5)
    /// The movie as edited.
    public static let fullSizeVideo = AssetResourceType(rawValue: 6)
    /// How the edit was made.
    public static let adjustmentData = AssetResourceType(rawValue: 7)
    /// The picture that the edit is based on.
    public static let adjustmentBasePhoto = AssetResourceType(rawValue: 8)
    /// The original movie of a Live Photo.
    public static let pairedVideo = AssetResourceType(rawValue: 9)
    /// The movie of a Live Photo as edited.
    public static let fullSizePairedVideo = AssetResourceType(rawValue: 10)
    /// The Live Photo movie that the edit is based on.
    public static let adjustmentBasePairedVideo = AssetResourceType(rawValue: 11)
    /// The movie that the edit is based on.
    public static let adjustmentBaseVideo = AssetResourceType(rawValue: 12)
    /// A smaller stand-in for the original picture.
    public static let photoProxy = AssetResourceType(rawValue: 19)

    /// Whether an asset may consist of this resource alone.
    public var isPrimary: Bool {
        self == .photo || self == .video || self == .audio
    }
}

/// One immutable byte sequence of an asset, identified by its digest and length.
public struct AssetResource: Hashable, Sendable, Codable, Identifiable {
    /// The resource's identifier.
    public let id: ResourceID
    /// Its role.
    public let type: AssetResourceType
    /// SHA-256 of the bytes.
    public let digest: ContentDigest
    /// Length in bytes.
    public let byteCount: Int64
    /// The IANA media type, for example `image/jpeg`, detected from the content, not the name.
    public let contentType: String
    /// The original file name; nil if it had none.
    public let originalFilename: FileName?

    /// Describes existing bytes; `AssetResource.problem(in:)` checks whether a set of resources forms an asset.
    public init(
        id: ResourceID,
        type: AssetResourceType,
        digest: ContentDigest,
        byteCount: Int64,
        contentType: String,
        originalFilename: FileName? = nil
    ) {
        self.id = id
        self.type = type
        self.digest = digest
        self.byteCount = byteCount
        self.contentType = contentType
        self.originalFilename = originalFilename
    }
}

extension AssetResource {
    /// The longest resource, in bytes: 64 GiB.
    public static let maximumByteCount: Int64 = 64 << 30

    /// The lengths that decoding yields: one on either side of the possible ones stands for an impossible length.
    package static let decodedByteCounts = -1...maximumByteCount + 1

    /// Decodes a description; an impossible length is clamped just beyond the limits, where validation refuses it and
    /// sums cannot overflow.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ResourceID.self, forKey: .id),
            type: try container.decode(AssetResourceType.self, forKey: .type),
            digest: try container.decode(ContentDigest.self, forKey: .digest),
            byteCount: try container.decode(Int64.self, forKey: .byteCount).clamped(to: Self.decodedByteCounts),
            contentType: try container.decode(String.self, forKey: .contentType),
            originalFilename: try container.decodeIfPresent(FileName.self, forKey: .originalFilename)
        )
    }
}

extension AssetResource {
    /// Why a set of resources does not form an asset.
    public enum Problem: Hashable, Sendable {
        /// No resource can form an asset by itself.
        case noPrimaryResource
        /// A resource has no bytes, or a negative count.
        case empty(ResourceID)
        /// A paired movie without the still it belongs to.
        case pairedVideoWithoutPhoto(ResourceID)
        /// Two resources with one identifier.
        case repeatedIdentifier(ResourceID)
        /// Two resources of a type that an asset may have only once.
        case repeatedType(AssetResourceType)
        /// More resources than an asset may have.
        case tooMany(limit: Int)
    }

    /// The most resources that one asset may have.
    public static let maximumPerAsset = 64

    /// The first problem of a set of resources; nil if it forms an asset.
    public static func problem(in resources: [AssetResource]) -> Problem? {
        guard resources.count <= maximumPerAsset else { return .tooMany(limit: maximumPerAsset) }
        guard resources.contains(where: \.type.isPrimary) else {
            return resources.first { $0.type == .pairedVideo }.map { .pairedVideoWithoutPhoto($0.id) }
                ?? .noPrimaryResource
        }
        var identifiers: Set<ResourceID> = []
        var types: Set<AssetResourceType> = []
        for resource in resources {
            if resource.byteCount <= 0 { return .empty(resource.id) }
            if !identifiers.insert(resource.id).inserted { return .repeatedIdentifier(resource.id) }
            let isNew = types.insert(resource.type).inserted
            if !isNew, resource.type.isPrimary || resource.type == .pairedVideo { return .repeatedType(resource.type) }
        }
        if !types.contains(.photo), let movie = resources.first(where: { $0.type == .pairedVideo }) {
            return .pairedVideoWithoutPhoto(movie.id)
        }
        return nil
    }
}
