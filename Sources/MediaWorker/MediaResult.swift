package import PhotoModel

/// What a worker made of one file.
package struct MediaResult: Hashable, Sendable, Codable {
    /// What is known of the file now.
    package var facts: MediaFacts
    /// The pictures in the output, in the order asked for.
    package var pictures: [MediaPicture]

    package init(facts: MediaFacts, pictures: [MediaPicture]) {
        self.facts = facts
        self.pictures = pictures
    }
}

/// What decoding tells of a file.
package struct MediaFacts: Hashable, Sendable, Codable {
    /// Width and height as shown, with the orientation applied.
    package var size: PixelSize
    /// The length of a movie in milliseconds; nil for stills and where the file does not say.
    package var durationMilliseconds: Int64?
    /// The codec by the name that its library gives it, for example `jpeg`, `heif`, `h264`.
    package var codec: String
    /// The placeholder (ThumbHash, at most 25 bytes); nil when it was not asked for.
    package var thumbHash: ThumbHash?

    package init(
        size: PixelSize,
        durationMilliseconds: Int64? = nil,
        codec: String,
        thumbHash: ThumbHash? = nil
    ) {
        self.size = size
        self.durationMilliseconds = durationMilliseconds
        self.codec = codec
        self.thumbHash = thumbHash
    }
}

/// Where one picture lies in the output: a whole JPEG file.
package struct MediaPicture: Hashable, Sendable, Codable {
    /// Its width and height.
    package var size: PixelSize
    /// Where it begins.
    package var offset: Int
    /// How long it is.
    package var byteCount: Int

    package init(size: PixelSize, offset: Int, byteCount: Int) {
        self.size = size
        self.offset = offset
        self.byteCount = byteCount
    }
}

/// Why a file gives nothing: the file's own fault, told by a worker that lives on.
package struct MediaFailure: Error, Hashable, Sendable, Codable {
    /// The kind of failure.
    package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// No decoder reads it.
        case unsupported
        /// It is cut or contradicts itself.
        case damaged
        /// It is larger than what is allowed.
        case tooLarge
        /// The output could not be written.
        case outputFailed
    }

    /// The kind of failure.
    package var code: Code
    /// What is wrong with it.
    package var message: String

    /// Describes one failure.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
