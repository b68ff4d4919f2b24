import MediaFormats
import MediaSamples
import PhotoModel
import Testing

/// 004.60, T32: the place is gone, everything else is where it was.
struct MovieLocationTests {
    private static let place = "+32.4720-084.9952+073.827/"

    private func stripped(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = try MovieStripping.stripped(bytes, of: .location)
        return try bytes.withBytes { try file.copyBytes(from: $0) }
    }

    @Test("004.60: names, user data and 3GPP boxes lose the place, the rest keeps its values and offsets")
    func metadata() throws {
        var sample = SampleMovie()
        var loci = ByteWriter()
        loci.appendFullBox("loci") { $0.append([0x15, 0xC7, 0, 0] + [UInt8](repeating: 9, count: 12) + [0, 0]) }
        sample.userData =
            SampleMovie.userText("©xyz", Self.place) + SampleMovie.userText("©mod", "Kept") + loci.bytes
            + SampleMovie.metadataList([("com.apple.quicktime.location.name", "Home"), ("k", "v")], isFullBox: true)
        sample.meta = SampleMovie.metadataList([
            ("com.apple.quicktime.make", "Kept"),
            ("com.apple.quicktime.location.ISO6709", Self.place),
            ("com.apple.quicktime.software", "1.0"),
            ("com.apple.quicktime.location.accuracy.horizontal", "12.3"),
        ])
        let old = sample.bytes
        let new = try stripped(old)
        #expect(new.count == old.count)
        #expect(new.prefix(sample.mediaOffset + 100) == old.prefix(sample.mediaOffset + 100))
        let metadata = try Movie(new).metadata
        #expect(metadata.location == nil)
        #expect(metadata.make == "Kept")
        #expect(metadata.model == "Kept")
        #expect(metadata.software == "1.0")
        #expect(metadata.values["k"] == .text("v"))
        #expect(!metadata.values.keys.contains { $0.contains("location") })
        #expect(!String(decoding: new, as: UTF8.self).contains("32.4720"))
        #expect(!String(decoding: new, as: UTF8.self).contains("Home"))
        #expect(try stripped(new) == new)
    }

    @Test("004.60: a track that records positions becomes free space, its samples zeros, its neighbours stay")
    func timedTrack() throws {
        var sample = SampleMovie()
        sample.moreTracks = SampleMovie.timedTrack(
            key: "com.apple.quicktime.location.ISO6709",
            sampleOffset: sample.mediaOffset + 10,
            sampleCount: 3,
            samplesPerChunk: 3
        )
        let old = sample.bytes
        let new = try stripped(old)
        let media = Array(new[sample.mediaOffset..<sample.mediaOffset + 100])
        #expect(media[0..<10] == sample.media[0..<10])
        #expect(media[10..<70].allSatisfy { $0 == 0 })
        #expect(media[70...] == sample.media[70...])
        #expect(try Movie(new).tracks.map(\.kind) == [.video])
        #expect(new.count == old.count)
    }

    @Test("004.60: a movie without a place comes back as it was, one with unreadable user data loses that")
    func others() throws {
        let plain = SampleMovie().bytes
        #expect(try stripped(plain) == plain)
        var broken = SampleMovie()
        broken.userData = [0, 0, 0, 3] + Array("xxxx+32.4720-084.9952/".utf8)
        let new = try stripped(broken.bytes)
        #expect(!String(decoding: new, as: UTF8.self).contains("32.4720"))
        #expect(try Movie(new).tracks.count == 1)
    }
}
