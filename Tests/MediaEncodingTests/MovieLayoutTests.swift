import Capture
import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

/// The boxes of our movies beside those that Apple's software writes.
struct MovieLayoutTests {
    @Test("003.1: the movie's boxes, its mark and its keys are laid out as Apple's", arguments: [true, false])
    func layout(hasSound: Bool) async throws {
        let audio = hasSound ? AudioFormat(sampleRate: 48_000, channelCount: 1) : nil
        try await Studio.open(audio: audio) { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            let recorded = try #require(result.movie)
            let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: recorded.file.path.string)))
            let boxes = try FileBoxes(of: file)
            #expect(boxes.damage == nil)
            #expect(boxes.boxes.map(\.type.description) == ["ftyp", "wide", "mdat", "mdat", "moov"])
            #expect(Array(file[..<20]) == hex("00000014 66747970 71742020 00000000 71742020"))
            let mark = boxes.boxes[3]
            #expect(Array(file[mark.range.bounds]) == hex("00000011 6D646174 00000009 00000001 FF"))
            let moov = boxes.boxes[4]
            let children = try file.withBytes { try $0.children(of: moov) }
            let tracks = hasSound ? 3 : 2
            #expect(children.map(\.type.description) == ["mvhd"] + Array(repeating: "trak", count: tracks) + ["meta"])
            let track = children[tracks]
            let ticks = recorded.photoDisplayTime.inSeconds * 600
            let expected = Self.track(
                number: tracks,
                still: Int(ticks.rounded()),
                sampleOffset: mark.range.offset + 8
            )
            #expect(Array(file[track.range.bounds]) == expected)
            let meta = Array(file[children[tracks + 1].range.bounds])
            #expect(meta == Self.metadata(result))
            // Movie units are those of the mark, and the next track's number is free.
            let header = Array(file[children[0].range.bounds])
            #expect(Array(header[20..<24]) == hex("00000258"))
            #expect(Array(header[(header.count - 4)...]) == hex("0000000\(tracks + 1)"))
        }
    }

    /// The track of `com.apple.quicktime.still-image-time` as AVAssetWriter writes it, with an iPhone's reference.
    private static func track(number: Int, still: Int, sampleOffset: Int) -> [UInt8] {
        func word(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        return hex(
            """
            0000025C 7472616B
              0000005C 746B6864 0000000F 00000000 00000000 \(word(number)) 00000000 \(word(still + 1))
                0000000000000000 0000 0000 0000 0000
                00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000 00000000 00000000
              00000030 65647473 00000028 656C7374 00000000 00000002
                \(word(still)) FFFFFFFF 00010000 00000001 00000000 00010000
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
                    00000014 7374636F 00000000 00000001 \(word(sampleOffset))
            """
        )
    }

    /// The plain box of keys and values as Apple's software writes it into `moov`.
    private static func metadata(_ result: CaptureResult) -> [UInt8] {
        func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        func box(_ type: [UInt8], _ payload: [UInt8]) -> [UInt8] { word(8 + payload.count) + type + payload }
        let local = CivilTime(result.frame.captureTime.wall, utcOffsetSeconds: 3600).description
        let entries = [
            ("content.identifier", result.contentIdentifier?.fileText ?? ""),
            ("creationdate", local.prefix(19) + "+0100"),
            ("make", "Tintype"),
            ("model", "Synthetic Camera"),
            ("software", "Tintype Tests 1"),
            ("location.ISO6709", "+48.2500+011.5000+519.000/"),
        ]
        let keys = entries.map { box(Array("mdta".utf8), Array("com.apple.quicktime.\($0.0)".utf8)) }
        let values = entries.enumerated().map { index, entry in
            box(word(index + 1), box(Array("data".utf8), word(1) + word(0) + Array(entry.1.utf8)))
        }
        let handler = hex("00000022 68646C72 00000000 00000000 6D647461 000000000000000000000000 0000")
        return box(
            Array("meta".utf8),
            handler + box(Array("keys".utf8), word(0) + word(entries.count) + keys.flatMap(\.self))
                + box(Array("ilst".utf8), values.flatMap(\.self))
        )
    }

    /// A file with a hole of zeros that nobody reads.
    private struct SparseFile: ByteSource {
        let head: [UInt8]
        let hole: Int
        let tail: [UInt8]

        var byteCount: Int { head.count + hole + tail.count }

        func bytes(in range: FileRange) -> [UInt8] {
            range.bounds.map { index in
                if index < head.count { return head[index] }
                let rest = index - head.count - hole
                return rest < 0 ? 0 : tail[rest]
            }
        }
    }

    @Test("A movie of more than 4 GiB keeps its wide media box, and its mark is found by 64 bits")
    func wide() async throws {
        try await Studio.open(audio: nil) { studio in
            await studio.clock.advance(by: .seconds(1))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            let path = try #require(result.movie).file.path.string
            let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            let moov = try #require(try FileBoxes(of: file).boxes.last)
            let hole = 5 << 30
            var head = ByteWriter()
            head.append(Array(file[..<20]))
            head.appendBoxHeader("mdat", payloadLength: hole)
            #expect(head.count == 36)
            let sparse = SparseFile(head: head.bytes, hole: hole, tail: Array(file[moov.range.bounds]))
            let metadata = LivePhotoMovieMetadata(contentIdentifier: try #require(result.contentIdentifier))
            let ending = try LivePhotoMovie.finishing(sparse, stillTime: .seconds(1), metadata: metadata)
            #expect(ending.offset == 36 + hole)
            let wanted = hex("00000018 636F3634 00000000 00000001") + hex("000000014000002C")
            #expect(ending.bytes.indices.contains { ending.bytes[$0...].starts(with: wanted) })
        }
    }
}

/// The bytes of hexadecimal digits, white space passed over.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
