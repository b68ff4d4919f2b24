package import LibraryAPI
package import Persistence
package import PhotoModel

/// Work that is owed to an original: its thumbnails, its placeholder and its facts.
package struct MediaJob: Hashable, Sendable {
    /// Names the job.
    package let id: JobID
    /// The original.
    package let address: ContentAddress
    /// Whether it moves.
    package let isMovie: Bool
    /// How often it was begun, this time included.
    package let attempts: Int
    /// How many workers died at it.
    package let deaths: Int

    package init(id: JobID, address: ContentAddress, isMovie: Bool, attempts: Int, deaths: Int) {
        self.id = id
        self.address = address
        self.isMovie = isMovie
        self.attempts = attempts
        self.deaths = deaths
    }
}

/// Why a job gave nothing.
package struct JobFailure: Hashable, Sendable {
    /// Whose fault it was.
    package enum Cause: Hashable, Sendable {
        /// The file's own: a decoder refused it, and would again.
        case refused
        /// A worker died, hung or broke the protocol at it.
        case workerDied
        /// The system's: no memory, no disk, bytes that cannot be read.
        case system
        /// Nobody tried it: no worker could be started.
        case notTried
    }

    /// Whose fault it was.
    package let cause: Cause
    /// What happened, for the administrator.
    package let reason: String

    /// Describes a failure.
    package init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }
}

/// What was made of an original, as its row tells; the pictures lie in the ``DerivativeStore``.
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
    /// How many bytes the thumbnails have, the smaller size first.
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
    /// The resource that shows what the asset looks like, and whether it moves; nil for sound.
    package var shownResource: (resource: AssetResource, isMovie: Bool)? {
        let order: [(AssetResourceType, Bool)] = [
            (.fullSizePhoto, false), (.photo, false), (.fullSizeVideo, true), (.video, true),
        ]
        return order.lazy.compactMap { type, isMovie in
            self.resources.first { $0.type == type }.map { ($0, isMovie) }
        }.first
    }
}
