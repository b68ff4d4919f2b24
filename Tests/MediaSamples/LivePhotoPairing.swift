package import MediaFormats
package import PhotoModel

/// Whether a still and a movie are the two halves of one Live Photo, and why not.
package struct LivePhotoPairing: Hashable, Sendable {
    /// Why two files are no pair, or one that some reader refuses.
    package enum Objection: String, Hashable, Sendable, CaseIterable {
        /// The still's maker note has no content identifier.
        case stillWithoutIdentifier
        /// The movie's metadata has no content identifier.
        case movieWithoutIdentifier
        /// Both have one, and they differ.
        case identifiersDiffer
        /// The movie has no picture.
        case movieWithoutVideo
        /// No track marks the still's moment; iOS refuses such a pair, macOS takes it.
        case movieWithoutStillImageTime
        /// The mark lies outside the movie.
        case stillImageTimeOutsideMovie
    }

    /// What speaks against the pair, in the order of the cases; empty for a Live Photo that every reader takes.
    package let objections: [Objection]

    /// Compares the two halves.
    ///
    /// - Parameters:
    ///   - still: the content identifier of the still's maker note.
    ///   - movie: the movie.
    package init(still: ContentIdentifier?, movie: Movie) {
        var objections: [Objection] = []
        if still == nil { objections.append(.stillWithoutIdentifier) }
        if movie.metadata.contentIdentifier == nil { objections.append(.movieWithoutIdentifier) }
        if let still, let other = movie.metadata.contentIdentifier, still != other {
            objections.append(.identifiersDiffer)
        }
        if movie.videoTrack == nil { objections.append(.movieWithoutVideo) }
        if let time = movie.stillImageTime {
            let end = movie.duration?.value ?? .max
            if !(0...max(0, end) ~= time.value) { objections.append(.stillImageTimeOutsideMovie) }
        } else {
            objections.append(.movieWithoutStillImageTime)
        }
        self.objections = objections
    }

    /// True when both halves name the same Live Photo: what the library joins them by.
    package var isPair: Bool {
        Set(objections).isDisjoint(with: [.stillWithoutIdentifier, .movieWithoutIdentifier, .identifiersDiffer])
    }

    /// True when every reader takes the pair.
    package var isComplete: Bool { objections.isEmpty }
}
