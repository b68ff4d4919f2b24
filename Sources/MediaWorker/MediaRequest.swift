package import PhotoModel

/// A request to a worker about one file; the file and the output file are passed as descriptors.
package struct MediaRequest: Hashable, Sendable, Codable {
    /// What to produce.
    package enum Task: String, Hashable, Sendable, Codable, CaseIterable {
        /// Thumbnails of the requested sizes, the thumbhash, and the facts.
        case thumbnails
        /// The whole picture as a JPEG.
        case jpeg
        /// The whole movie with H.264, as QuickTime.
        case h264
    }

    /// What kind of file it is.
    package enum Source: String, Hashable, Sendable, Codable, CaseIterable {
        /// One picture.
        case still
        /// A movie, represented by a poster.
        case movie
    }

    /// A small picture of the file.
    package struct Thumbnail: Hashable, Sendable, Codable {
        /// The longer side in pixels, 16...4096.
        package var side: Int
        /// How it is compressed.
        package var format: ThumbnailFormat

        /// Takes pixels.
        package init(side: Int, format: ThumbnailFormat = .jpeg) {
            self.side = side
            self.format = format
        }
    }

    /// What to produce.
    package var task: Task
    /// What kind of file it is.
    package var source: Source
    /// The thumbnails, largest first; 1 to 4.
    package var thumbnails: [Thumbnail]

    package init(_ task: Task, of source: Source, thumbnails: [Thumbnail] = []) {
        self.task = task
        self.source = source
        self.thumbnails = thumbnails
    }
}

/// The limits of a worker and its work.
package struct MediaLimits: Hashable, Sendable, Codable {
    /// Memory for a worker's own data, in bytes: 1 GiB.
    package var memoryByteCount: Int = 1 << 30
    /// Additional address space for mapped libraries and files, in bytes: 2 GiB.
    package var mappedByteCount: Int = 2 << 30
    /// The largest output, in bytes: 64 MiB.
    package var outputByteCount: Int = 64 << 20
    /// Processor time per request, in seconds: 60.
    package var processorSeconds: Int = 60
    /// Wall time per request, in seconds: 120.
    package var wallSeconds: Int = 120
    /// The niceness of workers, 0...19: 10, so that uploads go first.
    package var niceness: Int = 10
    /// The largest picture, in pixels: 256 million.
    package var pixelCount: Int = 256_000_000

    /// The default limits.
    package init() {}
}
