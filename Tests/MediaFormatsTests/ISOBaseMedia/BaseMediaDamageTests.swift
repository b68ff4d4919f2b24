import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// T33 to T39: whatever happens to a file, its readers give a value or a typed error, in bounded time.
struct BaseMediaDamageTests {
    /// Everything that reads these bytes or makes new ones of them.
    static func readAll(_ bytes: [UInt8]) throws {
        _ = bytes.withBytes { ContentType(sniffing: $0) }
        try expectTyped { try Movie(bytes).subtypes }
        try expectTyped { try MovieStripping.stripped(bytes, of: .location) }
        try expectTyped {
            let metadata = LivePhotoMovieMetadata(contentIdentifier: .init(rawValue: 1))
            return try LivePhotoMovie.finishing(bytes, stillTime: .seconds(1), metadata: metadata)
        }
        try expectTyped { try MotionPhoto(bytes) }
        try expectTyped {
            try MotionPhoto.beginning(still: bytes, movieByteCount: 9, movieType: .mpeg4Movie, stillTime: nil)
        }
        try expectTyped {
            let image = try HEIFImage(bytes)
            _ = (image.auxiliaryTypes, image.imageDataRanges)
            _ = try image.exif(bytes)
            _ = try image.xmp(bytes)
            let stripped = try image.stripped(bytes, of: .location)
            #expect(stripped.byteCount == bytes.count)
        }
    }

    /// Only a ``MediaFormatError`` may be thrown.
    private static func expectTyped(_ work: () throws -> some Any) throws {
        do { _ = try work() } catch is MediaFormatError {}
    }

    static func samples() throws -> [(name: String, bytes: [UInt8])] {
        var movie = SampleMovie()
        movie.media = Array(repeating: 0xAB, count: 24)
        movie.userData = SampleMovie.userText("©xyz", "+10.0000+020.0000/") + [0, 0, 0, 0]
        movie.meta = SampleMovie.metadataList([("com.apple.quicktime.location.name", "Home"), ("k", "v")])
        movie.moreTracks = SampleMovie.timedTrack(
            key: "com.apple.quicktime.location.ISO6709",
            sampleOffset: movie.mediaOffset,
            sampleCount: 1,
            samplesPerChunk: 1
        )
        let live = try LivePhotoMovieTests.finished(
            movie.bytes,
            stillTime: .seconds(1),
            LivePhotoMovieTests.metadata()
        )
        var image = SampleImage()
        image.items.append(.init(id: 3, type: "grid", bytes: [7, 7], isInItemData: true))
        return [
            ("movie", movie.bytes), ("live", live), ("image", image.bytes),
            ("motion photo", try MotionPhotoTests.composed(image.bytes)),
        ]
    }

    @Test("T39: every truncation of small files is a value or a typed error")
    func truncations() throws {
        for sample in try Self.samples() {
            for length in 0..<sample.bytes.count { try Self.readAll(Array(sample.bytes.prefix(length))) }
        }
    }

    @Test("T39: every byte of small files, set to what hurts most, is a value or a typed error")
    func flips() throws {
        for sample in try Self.samples() {
            var bytes = sample.bytes
            for index in bytes.indices {
                let old = bytes[index]
                for new in [0, 0xFF] as [UInt8] where new != old {
                    bytes[index] = new
                    try Self.readAll(bytes)
                }
                bytes[index] = old
            }
        }
    }

    @Test("T34, T39: many changes at once are a value or a typed error")
    func mutations() throws {
        let samples = try Self.samples()
        checkProperty("damaged files are read or refused", cases: 2000) { generator, size in
            var bytes = generator.pick(samples).bytes
            for _ in 0..<size {
                let place = generator.below(bytes.count)
                switch generator.below(4) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.replaceSubrange(place..<min(place + 4, bytes.count), with: [0xFF, 0xFF, 0xFF, 0xFF])
                case 2: bytes.removeSubrange(place..<min(place + 1 + generator.below(8), bytes.count - 1))
                default: bytes.insert(contentsOf: bytes[place..<min(place + 16, bytes.count)], at: place)
                }
            }
            try Self.readAll(bytes)
            return nil
        }
    }
}
