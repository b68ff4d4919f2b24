package import PhotoModel

/// A worker's result for one file.
package struct MediaResult: Hashable, Sendable, Codable {
    /// The facts about the file.
    package var facts: MediaFacts
    /// The pictures in the output, in the requested order.
    package var pictures: [MediaPicture]

    package init(facts: MediaFacts, pictures: [MediaPicture]) {
        self.facts = facts
        self.pictures = pictures
    }
}

/// Facts found by decoding a file.
package struct MediaFacts: Hashable, Sendable, Codable {
    /// Width and height as shown, with the orientation applied.
    package var size: PixelSize
    /// A movie's duration in milliseconds; nil for stills, and if the file does not say.
    package var durationMilliseconds: Int64?
    /// The codec, by its library's name, for example `jpeg`, `heif`, `h264`.
    package var codec: String
    /// The placeholder (ThumbHash, at most 25 bytes); nil if not requested.
    package var thumbHash: ThumbHash?

    package init(size: PixelSize, durationMilliseconds: Int64? = nil, codec: String, thumbHash: ThumbHash? = nil) {
        self.size = size
        self.durationMilliseconds = durationMilliseconds
        self.codec = codec
        self.thumbHash = thumbHash
    }
}

/// The location of one picture in the output, a complete JPEG file, or of a movie.
package struct MediaPicture: Hashable, Sendable, Codable {
    /// Its width and height.
    package var size: PixelSize
    /// Its offset.
    package var offset: Int
    /// Its length.
    package var byteCount: Int

    package init(size: PixelSize, offset: Int, byteCount: Int) {
        self.size = size
        self.offset = offset
        self.byteCount = byteCount
    }
}

/// Why a file could not be decoded: the file's own fault, reported by a worker that lives on.
package struct MediaFailure: Error, Hashable, Sendable, Codable {
    /// The kind of failure.
    package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// No decoder reads it.
        case unsupported
        /// It is truncated or contradicts itself.
        case damaged
        /// It is larger than allowed.
        case tooLarge
        /// The output could not be written.
        case outputFailed
    }

    /// The kind of failure.
    package var code: Code
    /// What is wrong.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
