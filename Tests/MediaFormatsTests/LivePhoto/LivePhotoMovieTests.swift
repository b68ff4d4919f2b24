import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

struct LivePhotoMovieTests {
    static let identifier = "6E4C6E0F-9A3F-4B8E-8E3C-0123456789AB"

    static func metadata() throws -> LivePhotoMovieMetadata {
        var metadata = LivePhotoMovieMetadata(contentIdentifier: try #require(ContentIdentifier(identifier)))
        metadata.creationDate = CivilTime("2026-01-02T03:04:05.678+01:00")
        metadata.make = "Tintype"
        metadata.model = "Box"
        metadata.software = "1"
        metadata.location = Location(latitude: 32.472, longitude: -84.9952, altitude: 73.827)
        return metadata
    }

    static func finished(_ bytes: [UInt8], stillTime: Duration, _ metadata: LivePhotoMovieMetadata) throws -> [UInt8] {
        let ending = try LivePhotoMovie.finishing(bytes, stillTime: stillTime, metadata: metadata)
        return bytes[..<ending.offset] + ending.bytes
    }

    @Test("003.1: the mark's track is byte for byte the one AVAssetWriter writes, with an iPhone's reference")
    func trackBytes() throws {
        let sample = SampleMovie()
        let old = sample.bytes
        let new = try Self.finished(old, stillTime: .milliseconds(1500), Self.metadata())
        let moovOffset = sample.mediaOffset + 100
        #expect(Array(new[moovOffset..<moovOffset + 17]) == hexadecimal("00000011 6D646174 00000009 00000001 FF"))
        #expect(try bytes(of: "trak", number: 1, in: new) == Self.expectedTrack)
    }

    /// Laid out by hand: still at 900 of 600 units a second, sample at byte 136 (17 bytes of `mdat` begin at 128).
    private static let expectedTrack = hexadecimal(
        """
        0000025C 7472616B
          0000005C 746B6864 0000000F 00000000 00000000 00000002 00000000 00000385
            0000000000000000 0000 0000 0000 0000
            00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000 00000000 00000000
          00000030 65647473 00000028 656C7374 00000000 00000002
            00000384 FFFFFFFF 00010000 00000001 00000000 00010000
          00000014 74726566 0000000C 63647363 00000001
          000001B4 6D646961
            00000020 6D646864 00000000 00000000 00000000 00000258 00000001 55C4 0000
            00000034 68646C72 00000000 6D686C72 6D657461 6170706C 00000001 00000001
              13 436F7265204D65646961204D65746164617461
            00000158 6D696E66
              00000020 676D6864 00000018 676D696E 00000000 0040 8000 8000 8000 0000 0000
              00000038 68646C72 00000000 64686C72 616C6973 6170706C 00000000 00000000
                17 436F7265204D6564696120446174612048616E646C6572
              00000024 64696E66 0000001C 64726566 00000000 00000001 0000000C 616C6973 00000001
              000000D4 7374626C
                00000070 73747364 00000000 00000001
                  00000060 6D656278 000000000000 0001
                    00000050 6B657973
                      00000048 00000001
                        00000030 6B657964 6D647461
                          636F6D2E6170706C652E717569636B74696D652E7374696C6C2D696D6167652D74696D65
                        00000010 64747970 00000000 00000041
                00000018 73747473 00000000 00000001 00000001 00000001
                0000001C 73747363 00000000 00000001 00000001 00000001 00000001
                00000014 7374737A 00000000 00000009 00000001
                00000014 7374636F 00000000 00000001 00000088
        """
    )

    @Test("003.1: the metadata list is a plain box with Apple's keys in order")
    func listBytes() throws {
        var metadata = LivePhotoMovieMetadata(contentIdentifier: try #require(ContentIdentifier(Self.identifier)))
        metadata.isAutomatic = true
        let new = try Self.finished(SampleMovie().bytes, stillTime: .seconds(1), metadata)
        let expected =
            hexadecimal("000000F0 6D657461 00000022 68646C72 00000000 00000000 6D647461 000000000000000000000000 0000")
            + hexadecimal("00000069 6B657973 00000000 00000002 0000002E 6D647461")
            + Array("com.apple.quicktime.content.identifier".utf8)
            + hexadecimal("0000002B 6D647461") + Array("com.apple.quicktime.live-photo.auto".utf8)
            + hexadecimal("0000005D 696C7374 0000003C 00000001 00000034 64617461 00000001 00000000")
            + Array(Self.identifier.utf8)
            + hexadecimal("00000019 00000002 00000011 64617461 00000015 00000000 01")
        #expect(try bytes(of: "meta", number: 0, in: new) == expected)
    }

    static let stillTimes: [(Duration, Int64)] = [
        (.zero, 0), (.milliseconds(1500), 900), (.milliseconds(1467), 880), (.seconds(3), 1800),
    ]

    @Test("003.20: the still's moment is read back from the edit list", arguments: stillTimes)
    func stillTime(time: Duration, ticks: Int64) throws {
        let movie = try Movie(try Self.finished(SampleMovie().bytes, stillTime: time, Self.metadata()))
        #expect(movie.stillImageTime?.value == ticks)
        #expect(movie.stillImageTimeTrack?.edits.entries.count == (ticks == 0 ? 1 : 2))
        #expect(movie.stillImageTimeTrack?.describedTrack == 1)
        #expect(movie.duration?.value == max(1800, ticks + 1))
        #expect(movie.metadata.location?.altitude == 73.827)
        #expect(movie.metadata.creationDate?.description == "2026-01-02T03:04:05+01:00")
        #expect(movie.metadata.contentIdentifier?.fileText == Self.identifier)
        #expect(movie.metadata.make == "Tintype")
    }

    @Test("a movie with a 64-bit media box keeps it, user data goes, a second finishing gives the same file")
    func mediaStays() throws {
        var sample = SampleMovie()
        sample.hasWideMediaBox = true
        sample.userData = SampleMovie.userText("©swr", "Lavf")
        let old = sample.bytes
        let new = try Self.finished(old, stillTime: .seconds(1), Self.metadata())
        let end = sample.mediaOffset + 100
        #expect(new[..<end] == old[..<end])
        #expect(try Movie(new).metadata.values["©swr"] == nil)
        let again = try Movie(try Self.finished(new, stillTime: .seconds(2), Self.metadata()))
        #expect(again.tracks.count == 2)
        #expect(again.stillImageTime?.value == 1200)
    }

    @Test("what is no finished movie with its header last is refused")
    func refusals() throws {
        func code(_ bytes: [UInt8], at time: Duration = .seconds(1)) throws -> MediaFormatError.Code? {
            let metadata = try Self.metadata()
            return #expect(throws: MediaFormatError.self) {
                try LivePhotoMovie.finishing(bytes, stillTime: time, metadata: metadata)
            }?.code
        }
        let sample = SampleMovie().bytes
        #expect(try code(sample, at: .seconds(4)) == .unrepresentable)
        #expect(try code(sample, at: .seconds(-1)) == .unrepresentable)
        #expect(try code(sample + [0, 0, 0, 8] + Array("free".utf8)) == .unsupported)
        #expect(try code(Array(sample.dropLast(5))) == .truncated)
        #expect(try code([]) == .malformed)
    }

    @Test("003.23: a pair is one when both halves name the same identifier, and every objection is named")
    func pairing() throws {
        let identifier = try #require(ContentIdentifier(Self.identifier))
        let plain = try Movie(SampleMovie().bytes)
        let live = try Movie(try Self.finished(SampleMovie().bytes, stillTime: .seconds(1), Self.metadata()))
        #expect(LivePhotoPairing(still: identifier, movie: live).isComplete)
        #expect(
            LivePhotoPairing(still: nil, movie: plain).objections
                == [.stillWithoutIdentifier, .movieWithoutIdentifier, .movieWithoutStillImageTime]
        )
        let other = LivePhotoPairing(still: ContentIdentifier(rawValue: 1), movie: live)
        #expect(other.objections == [.identifiersDiffer])
        #expect(!other.isPair)
        var onlyNamed = SampleMovie()
        onlyNamed.meta = SampleMovie.metadataList([("com.apple.quicktime.content.identifier", Self.identifier)])
        let pair = LivePhotoPairing(still: identifier, movie: try Movie(onlyNamed.bytes))
        #expect(pair.isPair)
        #expect(pair.objections == [.movieWithoutStillImageTime])
    }

    /// The bytes of a child of `moov`.
    private func bytes(of type: FourCharacterCode, number: Int, in file: [UInt8]) throws -> [UInt8] {
        try file.withBytes { bytes in
            let boxes = try bytes.boxes(in: bytes.fullRange)
            let moov = try #require(boxes.first(ofType: "moov"))
            let box = try bytes.children(of: moov).all(ofType: type)[number]
            return Array(file[box.range.bounds])
        }
    }
}

/// The bytes of hexadecimal digits, white space passed over.
func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
