/// What is asked of a worker about one file; the file itself and the file for the output travel as descriptors.
package struct MediaRequest: Hashable, Sendable, Codable {
    /// What is to be made.
    package enum Task: String, Hashable, Sendable, Codable, CaseIterable {
        /// Thumbnails of the sizes asked for, the thumbhash, and the facts.
        case thumbnails
        /// The whole picture as a JPEG.
        case jpeg
    }

    /// What kind of file it is.
    package enum Source: String, Hashable, Sendable, Codable, CaseIterable {
        /// One picture.
        case still
        /// Moving pictures; a poster stands for them.
        case movie
    }

    /// What is to be made.
    package var task: Task
    /// What kind of file it is.
    package var source: Source
    /// The longer sides of the thumbnails in pixels, largest first; 1 to 4, each 16...4096.
    package var sides: [Int]

    /// Asks for a task.
    package init(_ task: Task, of source: Source, sides: [Int] = []) {
        self.task = task
        self.source = source
        self.sides = sides
    }
}

/// What bounds a worker and its work.
package struct MediaLimits: Hashable, Sendable, Codable {
    /// Memory that a worker may have for itself, in bytes: 1 GiB.
    package var memoryByteCount: Int = 1 << 30
    /// Address space beyond that, for libraries and files that are mapped, in bytes: 2 GiB.
    package var mappedByteCount: Int = 2 << 30
    /// The largest output, in bytes: 64 MiB.
    package var outputByteCount: Int = 64 << 20
    /// Processor time of one request, in seconds: 60.
    package var processorSeconds: Int = 60
    /// Time of one request by the clock, in seconds: 120.
    package var wallSeconds: Int = 120
    /// How far a worker steps back behind others, 0...19: 10, so that uploads go first.
    package var niceness: Int = 10
    /// The largest picture, in pixels: 256 million.
    package var pixelCount: Int = 256_000_000

    /// The usual limits.
    package init() {}
}
