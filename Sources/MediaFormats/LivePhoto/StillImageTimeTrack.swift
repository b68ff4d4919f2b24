// The timed metadata track that marks the moment of a Live Photo's still. Its only sample lasts one tick of 1/600 s and
// is shifted to that moment by the edit list; readers ignore the sample's content.
//
//     trak
//       tkhd  enabled, in movie, in preview, in poster; no picture
//       edts/elst  {still, -1} {sample, 0}; the second alone when the still is the first moment
//       tref/cdsc  the video track
//       mdia
//         mdhd  600 units a second, duration 1
//         hdlr  'mhlr' 'meta' 'appl' "Core Media Metadata"
//         minf
//           gmhd/gmin, hdlr 'dhlr' 'alis', dinf/dref 'alis' (this file)
//           stbl  one 'mebx' description, one sample of 9 bytes in one chunk

/// Writes the track that marks a Live Photo's still.
struct StillImageTimeTrack {
    /// The track's media units per second.
    static let timescale: UInt32 = 600
    /// The one sample: its size, the local number of its key, and -1 as a signed byte.
    static let sample: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 1, 0xFF]

    private static let localKey = FourCharacterCode(rawValue: 1)
    /// `dtyp`: a well-known type (namespace 0), the signed 8-bit integer.
    private static let signedByteType: UInt32 = 65
    /// 16.16 fixed-point 1.
    private static let one: UInt32 = 0x1_0000
    private static let language: UInt16 = 0x55C4
    private static let apple = FourCharacterCode("appl").rawValue

    /// The new track's number.
    let trackID: UInt32
    /// The track that the still belongs to.
    let videoTrackID: UInt32
    /// The still's time, in the movie's units.
    let stillTime: UInt32
    /// The sample's duration in the movie's units, at least 1.
    let sampleDuration: UInt32
    /// The sample's file offset.
    let sampleOffset: UInt64

    /// Appends the `trak` box.
    func append(to writer: inout ByteWriter) {
        writer.appendBox("trak") { writer in
            appendHeader(to: &writer)
            writer.appendBox("edts") { appendEdits(to: &$0) }
            writer.appendBox("tref") { writer in
                writer.appendBox("cdsc") { $0.append(videoTrackID) }
            }
            writer.appendBox("mdia") { appendMedia(to: &$0) }
        }
    }

    private func appendHeader(to writer: inout ByteWriter) {
        writer.appendFullBox("tkhd", flags: 0xF) { writer in
            writer.append(words: 0, 0, trackID, 0, stillTime + sampleDuration)
            // Reserved, then layer, alternate group, volume and reserved.
            writer.append(words: 0, 0, 0, 0)
            writer.append(words: Self.one, 0, 0, 0, Self.one, 0, 0, 0, 0x4000_0000)
            writer.append(words: 0, 0)
        }
    }

    private func appendEdits(to writer: inout ByteWriter) {
        writer.appendFullBox("elst") { writer in
            writer.append(UInt32(stillTime == 0 ? 1 : 2))
            if stillTime > 0 { writer.append(words: stillTime, .max, Self.one) }
            writer.append(words: sampleDuration, 0, Self.one)
        }
    }

    private func appendMedia(to writer: inout ByteWriter) {
        writer.appendFullBox("mdhd") { writer in
            writer.append(words: 0, 0, Self.timescale, 1)
            writer.append(Self.language)
            writer.append(UInt16(0))
        }
        appendHandler(class: "mhlr", type: "meta", mask: (1, 1), name: "Core Media Metadata", to: &writer)
        writer.appendBox("minf") { writer in
            writer.appendBox("gmhd") { writer in
                writer.appendFullBox("gmin") { writer in
                    // Graphics mode "copy with dither", grey operation colour, balance 0.
                    writer.append(words: 0x0040_8000, 0x8000_8000, 0)
                }
            }
            appendHandler(class: "dhlr", type: "alis", mask: (0, 0), name: "Core Media Data Handler", to: &writer)
            writer.appendBox("dinf") { writer in
                writer.appendFullBox("dref") { writer in
                    writer.append(UInt32(1))
                    writer.appendFullBox("alis", flags: 1) { _ in }
                }
            }
            writer.appendBox("stbl") { appendSampleTable(to: &$0) }
        }
    }

    private func appendHandler(
        class component: FourCharacterCode,
        type: FourCharacterCode,
        mask: (UInt32, UInt32),
        name: String,
        to writer: inout ByteWriter
    ) {
        writer.appendFullBox("hdlr") { writer in
            writer.append(words: component.rawValue, type.rawValue, Self.apple, mask.0, mask.1)
            writer.append(UInt8(name.utf8.count))
            writer.append(name)
        }
    }

    private func appendSampleTable(to writer: inout ByteWriter) {
        writer.appendFullBox("stsd") { writer in
            writer.append(UInt32(1))
            writer.appendBox("mebx") { writer in
                writer.append(words: 0, 1)
                writer.appendBox("keys") { writer in
                    writer.appendBox(Self.localKey) { writer in
                        writer.appendBox("keyd") { writer in
                            writer.append(FourCharacterCode("mdta").rawValue)
                            writer.append(MovieMetadata.Key.stillImageTime)
                        }
                        writer.appendBox("dtyp") { $0.append(words: 0, Self.signedByteType) }
                    }
                }
            }
        }
        writer.appendFullBox("stts") { $0.append(words: 1, 1, 1) }
        writer.appendFullBox("stsc") { $0.append(words: 1, 1, 1, 1) }
        writer.appendFullBox("stsz") { $0.append(words: UInt32(Self.sample.count), 1) }
        if let narrow = UInt32(exactly: sampleOffset) {
            writer.appendFullBox("stco") { $0.append(words: 1, narrow) }
        } else {
            writer.appendFullBox("co64") { writer in
                writer.append(UInt32(1))
                writer.append(sampleOffset)
            }
        }
    }
}
