import MediaFormats
import MediaSamples
import PhotoModel
import Testing

/// What people wrote is gone from a movie, everything else is where it was.
struct MovieCaptionsTests {
    private static let words = "the quick brown fox"
    private static let place = "+32.4720-084.9952+073.827/"

    private func stripped(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = try MovieStripping.stripped(bytes, of: .captions)
        return try bytes.withBytes { try file.copyBytes(from: $0) }
    }

    @Test("titles, descriptions, comments and what nobody vouches for go; camera, date, place and media stay")
    func metadata() throws {
        var sample = SampleMovie()
        var unknown = ByteWriter()
        unknown.appendBox("uuid") { $0.append([UInt8](repeating: 7, count: 16) + Array(Self.words.utf8)) }
        sample.userData =
            SampleMovie.userText("©nam", Self.words) + SampleMovie.userText("©mod", "Kept")
            + SampleMovie.userText("©xyz", Self.place) + SampleMovie.userText("©cmt", Self.words)
            + SampleMovie.metadataList([("title", Self.words), ("©too", "Kept")], isFullBox: true) + unknown.bytes
        sample.meta = SampleMovie.metadataList([
            ("com.apple.quicktime.make", "Kept"),
            ("com.apple.quicktime.description", Self.words),
            ("com.apple.quicktime.location.ISO6709", Self.place),
            ("com.apple.quicktime.content.identifier", "63D9A3E4-6B0C-4C84-8B0C-AF6B26E5C7A1"),
            ("com.example.note", Self.words),
        ])
        let old = sample.bytes
        let new = try stripped(old)
        #expect(new.count == old.count)
        #expect(new.prefix(sample.mediaOffset + 100) == old.prefix(sample.mediaOffset + 100))
        #expect(!String(decoding: new, as: UTF8.self).contains(Self.words))
        let metadata = try Movie(new).metadata
        #expect(metadata.make == "Kept" && metadata.model == "Kept")
        #expect(metadata.location != nil && metadata.contentIdentifier != nil)
        #expect(!metadata.values.keys.contains("com.example.note"))
        #expect(try stripped(new) == new)
    }

    @Test("a movie in which nobody wrote anything comes back as it was")
    func plain() throws {
        let plain = SampleMovie().bytes
        #expect(try stripped(plain) == plain)
    }

    @Test("captions and the place are taken out one after the other without a copy of the movie between them")
    func both() throws {
        var sample = SampleMovie()
        sample.userData = SampleMovie.userText("©nam", Self.words) + SampleMovie.userText("©xyz", Self.place)
        let old = sample.bytes
        let first = try MovieStripping.stripped(old, of: .captions)
        let second = try MovieStripping.stripped(RewrittenSource(first, of: old), of: .location).rebased(on: first)
        let new = try old.withBytes { try second.copyBytes(from: $0) }
        #expect(new.count == old.count)
        #expect(second.keptRanges.reduce(0) { $0 + $1.length } > sample.media.count)
        #expect(!String(decoding: new, as: UTF8.self).contains(Self.words))
        #expect(try Movie(new).metadata.location == nil)
    }
}
