package import MediaFormats
package import PhotoModel

/// Small movies written box by box, for tests that need to know every byte.
package struct SampleMovie {
    private let timescale: UInt32 = 600
    private let duration: UInt32 = 1800
    /// Seconds from 1904 to 2026-01-02T03:04:05Z.
    package var created: UInt32 = 3_850_167_845
    /// What `ftyp` names.
    package var brand: FourCharacterCode = "qt  "
    /// a, b, c, d of the track's matrix.
    package var matrix: (Int32, Int32, Int32, Int32) = (1, 0, 0, 1)
    /// The size of the picture before the matrix is applied.
    package var size = PixelSize(width: 320, height: 240)
    /// Pictures a second.
    package var samplesPerSecond: UInt32 = 30
    /// What `udta` holds.
    package var userData: [UInt8] = []
    /// A whole `meta` box.
    package var meta: [UInt8] = []
    /// Whole `trak` boxes behind the video's.
    package var moreTracks: [UInt8] = []
    /// What `mdat` holds.
    package var media: [UInt8] = Array(repeating: 0xAB, count: 100)
    /// Whether `mdat` has a size of 64 bits.
    package var hasWideMediaBox = false

    /// Three seconds of 320 by 240 pixels.
    package init() {}

    /// Where the media's bytes begin.
    package var mediaOffset: Int { hasWideMediaBox ? 36 : 28 }

    /// The file, `moov` last.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.appendBox("ftyp") { writer in
            for word in [brand.rawValue, 0, brand.rawValue] { writer.append(word) }
        }
        if hasWideMediaBox {
            writer.append(UInt32(1))
            writer.append(FourCharacterCode("mdat").rawValue)
            writer.append(UInt64(media.count + 16))
            writer.append(media)
        } else {
            writer.appendBox("mdat") { $0.append(media) }
        }
        writer.append(moov)
        return writer.bytes
    }

    /// The movie's header.
    package var moov: [UInt8] {
        var writer = ByteWriter()
        writer.appendBox("moov") { writer in
            appendMovieHeader(to: &writer)
            appendVideoTrack(to: &writer)
            writer.append(moreTracks)
            if !userData.isEmpty { writer.appendBox("udta") { $0.append(userData) } }
            writer.append(meta)
        }
        return writer.bytes
    }

    func appendMovieHeader(to writer: inout ByteWriter) {
        writer.appendFullBox("mvhd") { writer in
            for word in [created, created, timescale, duration, 0x1_0000] as [UInt32] {
                writer.append(word)
            }
            writer.append(repeating: 0, count: 72)
            writer.append(UInt32(2))
        }
    }

    func appendVideoTrack(to writer: inout ByteWriter) {
        let sampleCount = duration / timescale * samplesPerSecond
        writer.appendBox("trak") { writer in
            writer.appendFullBox("tkhd", flags: 3) { writer in
                for word in [0, 0, 1, 0, duration, 0, 0, 0, 0] as [UInt32] { writer.append(word) }
                let one: Int32 = 0x1_0000
                for word in [matrix.0 * one, matrix.1 * one, 0, matrix.2 * one, matrix.3 * one, 0, 0, 0, 0x4000_0000] {
                    writer.append(word)
                }
                writer.append(UInt32(size.width << 16))
                writer.append(UInt32(size.height << 16))
            }
            writer.appendBox("mdia") { writer in
                writer.appendFullBox("mdhd") { writer in
                    for word in [0, 0, samplesPerSecond * 100, sampleCount * 100, 0x55C4_0000] as [UInt32] {
                        writer.append(word)
                    }
                }
                writer.appendFullBox("hdlr") { writer in
                    for word in [0, FourCharacterCode("vide").rawValue, 0, 0, 0] as [UInt32] { writer.append(word) }
                }
                writer.appendBox("minf") { writer in
                    writer.appendBox("stbl") { writer in
                        writer.appendFullBox("stsd") { writer in
                            writer.append(UInt32(1))
                            writer.appendBox("avc1") { writer in
                                writer.append(repeating: 0, count: 24)
                                writer.append(UInt16(size.width))
                                writer.append(UInt16(size.height))
                                writer.append(repeating: 0, count: 50)
                            }
                        }
                        writer.appendFullBox("stts") { writer in
                            for word in [1, sampleCount, 100] { writer.append(word) }
                        }
                    }
                }
            }
        }
    }

    /// A box with an XMP packet, as MP4 has it beside the header.
    package static func xmpBox(_ packet: [UInt8]) -> [UInt8] {
        let name: [UInt8] = [
            0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
        ]
        var writer = ByteWriter()
        writer.appendBox("uuid") { $0.append(name + packet) }
        return writer.bytes
    }

    /// A metadata list with text values, as a plain box (QuickTime) or a FullBox (ISO).
    package static func metadataList(_ values: [(key: String, text: String)], isFullBox: Bool = false) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendBox("meta") { writer in
            if isFullBox { writer.append(UInt32(0)) }
            writer.appendFullBox("hdlr") { writer in
                for word in [0, FourCharacterCode("mdta").rawValue, 0, 0, 0] as [UInt32] { writer.append(word) }
            }
            writer.appendFullBox("keys") { writer in
                writer.append(UInt32(values.count))
                for value in values { writer.appendBox("mdta") { $0.append(value.key) } }
            }
            writer.appendBox("ilst") { writer in
                for (index, value) in values.enumerated() {
                    writer.appendBox(FourCharacterCode(rawValue: UInt32(index + 1))) { writer in
                        writer.appendBox("data") { writer in
                            writer.append(UInt32(1))
                            writer.append(UInt32(0))
                            writer.append(value.text)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// A metadata list with one number, which Android's cameras write as a `float`.
    package static func metadataNumber(_ key: String, _ number: Float) -> [UInt8] {
        let list = metadataList([(key, "\0\0\0\0")])
        var writer = ByteWriter()
        // Type 23: a big-endian number of 32 bits.
        writer.append(Array(list.dropLast(12)))
        writer.append(UInt32(23))
        writer.append(UInt32(0))
        writer.append(number.bitPattern)
        return writer.bytes
    }

    /// A QuickTime user data text such as `©xyz`.
    package static func userText(_ type: FourCharacterCode, _ text: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendBox(type) { writer in
            writer.append(UInt16(text.utf8.count))
            writer.append(UInt16(0x15C7))
            writer.append(text)
        }
        return writer.bytes
    }

    /// A timed metadata track with samples of 20 bytes at an offset.
    package static func timedTrack(key: String, sampleOffset: Int, sampleCount: UInt32, samplesPerChunk: UInt32)
        -> [UInt8]
    {
        var writer = ByteWriter()
        writer.appendBox("trak") { writer in
            writer.appendFullBox("tkhd") { writer in
                for word in [0, 0, 7, 0, 100] as [UInt32] { writer.append(word) }
                writer.append(repeating: 0, count: 60)
            }
            writer.appendBox("mdia") { writer in
                writer.appendFullBox("mdhd") { writer in
                    for word in [0, 0, 600, 100, 0] as [UInt32] { writer.append(word) }
                }
                writer.appendFullBox("hdlr") { writer in
                    for word in [0, FourCharacterCode("meta").rawValue, 0, 0, 0] as [UInt32] { writer.append(word) }
                }
                writer.appendBox("minf") { writer in
                    writer.appendBox("stbl") { writer in
                        writer.appendFullBox("stsd") { writer in
                            writer.append(UInt32(1))
                            writer.appendBox("mebx") { writer in
                                writer.append(UInt64(1))
                                writer.appendBox("keys") { writer in
                                    writer.appendBox(FourCharacterCode(rawValue: 1)) { writer in
                                        writer.appendBox("keyd") { $0.append("mdta" + key) }
                                    }
                                }
                            }
                        }
                        writer.appendFullBox("stts") { for word in [1, sampleCount, 10] { $0.append(word) } }
                        writer.appendFullBox("stsc") { writer in
                            for word in [1, 1, samplesPerChunk, 1] { writer.append(word) }
                        }
                        writer.appendFullBox("stsz") { for word in [20, sampleCount] { $0.append(word) } }
                        writer.appendFullBox("stco") { for word in [1, UInt32(sampleOffset)] { $0.append(word) } }
                    }
                }
            }
        }
        return writer.bytes
    }
}
