package import LibraryAPI
package import Persistence
package import PhotoModel

/// Pending work on an original: its thumbnails, placeholder and facts.
package struct MediaJob: Hashable, Sendable {
    /// The job's identifier.
    package let id: JobID
    /// The original.
    package let address: ContentAddress
    /// Whether it is a movie.
    package let isMovie: Bool
    /// How often it was started, including this time.
    package let attempts: Int
    /// How many workers it killed.
    package let deaths: Int
}

/// Why a job failed.
package struct JobFailure: Hashable, Sendable {
    /// The cause of a failure.
    package enum Cause: Hashable, Sendable {
        /// The file: a decoder refused it, and would again.
        case refused
        /// A worker died, hung or violated the protocol.
        case workerDied
        /// The system: out of memory or disk, or unreadable bytes.
        case system
        /// It was not attempted: no worker could be started.
        case notTried
    }

    /// The cause.
    package let cause: Cause
    /// What happened, for the administrator.
    package let reason: String

    package init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }
}

/// An original's derivatives, according to its row; the pictures are in the ``DerivativeStore``.
package struct Derivative: Hashable, Sendable {
    /// The original.
    package let digest: ContentDigest
    /// Width and height as shown.
    package let pixelSize: PixelSize
    /// The length of a movie in milliseconds.
    package let durationMilliseconds: Int64?
    /// The codec's name.
    package let codec: String
    /// The placeholder.
    package let thumbHash: ThumbHash?
    /// The sizes of the thumbnails in bytes, smaller thumbnail first.
    package let byteCounts: [Int64]

    package init(
        digest: ContentDigest,
        pixelSize: PixelSize,
        durationMilliseconds: Int64? = nil,
        codec: String,
        thumbHash: ThumbHash? = nil,
        byteCounts: [Int64]
    ) {
        self.digest = digest
        self.pixelSize = pixelSize
        self.durationMilliseconds = durationMilliseconds
        self.codec = codec
        self.thumbHash = thumbHash
        self.byteCounts = byteCounts
    }
}

extension Asset {
    /// The resource that shows what the asset looks like, and whether it is a movie; nil for sound.
    package var shownResource: (resource: AssetResource, isMovie: Bool)? {
        let order: [(AssetResourceType, Bool)] = [
            (.fullSizePhoto, false), (.photo, false), (.fullSizeVideo, true), (.video, true),
        ]
        return order.lazy.compactMap { type, isMovie in
            self.resources.first { $0.type == type }.map { ($0, isMovie) }
        }.first
    }
}
