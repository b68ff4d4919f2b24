/// The layout of a whole GIF: the header and every block up to the end, in the form that ``GIFFile`` shows.
package struct GIFLayout: Hashable, Sendable {
    /// One block.
    package struct Block: Hashable, Sendable {
        /// What it holds.
        package enum Kind: Hashable, Sendable {
            /// A picture with its position and its own colours.
            case frame
            /// The next frame's delay and transparency.
            case control
            /// A text to draw over the picture, which hardly any viewer does.
            case plainText
            /// Free text.
            case comment
            /// How often the frames repeat (`NETSCAPE2.0`, `ANIMEXTS1.0`).
            case repetition
            /// An ICC profile (`ICCRGBG1012`).
            case colorProfile
            /// An XMP packet (`XMP DataXMP`).
            case xmp
            /// Any other extension.
            case unknown
            /// The end of the file.
            case end
        }

        /// What it holds.
        package let kind: Kind
        /// All its bytes, from the introducer to the terminator.
        package let range: FileRange
    }

    /// Introducer, label, length, identifier and code of the extension that holds XMP.
    private static let xmpHead: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8)
    /// The bytes after a packet.
    ///
    /// A packet is not divided into sub-blocks: a reader of sub-blocks takes its characters for lengths, and wherever
    /// that leads it in these bytes, the next length leads to the terminator, the last byte.
    private static let xmpTail: [UInt8] = [1] + (UInt8.min...UInt8.max).reversed() + [0]

    /// The header, the screen's size and the colours of all frames.
    package let header: FileRange
    /// The blocks, the end included.
    package let blocks: [Block]

    /// Walks the blocks.
    ///
    /// - Throws: `unrecognizedFormat`, `truncated` if the file ends before its end is announced, `malformed`,
    ///   `limitExceeded`.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        guard GIFFile.isBeginning(bytes) else {
            throw MediaFormatError(.unrecognizedFormat, "not a GIF", at: 0)
        }
        var offset = 13 + GIFFile.colorByteCount(try bytes.byte(at: 10))
        header = FileRange(0..<offset)
        var blocks: [Block] = []
        repeat {
            guard blocks.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "too many blocks", at: offset)
            }
            let block = try Self.block(bytes, at: offset)
            blocks.append(block)
            offset = block.range.end
        } while blocks.last?.kind != .end
        self.blocks = blocks
    }

    /// The XMP packets whose extent is certain.
    package func xmpPackets(in bytes: RawSpan) -> [FileRange] {
        var packets: [FileRange] = []
        for block in blocks {
            if let packet = Self.xmpPacket(of: block, in: bytes) { packets.append(packet) }
        }
        return packets
    }

    /// The packet in a block; nil for other blocks, and if the bytes after it are not those that the format prescribes.
    static func xmpPacket(of block: Block, in bytes: RawSpan) -> FileRange? {
        let length = block.range.length - xmpHead.count - xmpTail.count
        guard block.kind == .xmp, length > 0,
            let packet = block.range.part(at: xmpHead.count, length: length),
            let tail = try? bytes.copyBytes(in: FileRange(packet.end..<block.range.end)), tail == xmpTail
        else { return nil }
        return packet
    }

    /// The block that holds an XMP packet.
    ///
    /// - Throws: `unrepresentable` for a packet with a zero byte, which could end the block.
    package static func xmpBlock(_ packet: [UInt8]) throws(MediaFormatError) -> [UInt8] {
        guard !packet.contains(0) else {
            throw MediaFormatError(.unrepresentable, "XMP in a GIF has no zero bytes")
        }
        return xmpHead + packet + xmpTail
    }
}

extension GIFLayout {
    private static func block(_ bytes: RawSpan, at start: Int) throws(MediaFormatError) -> Block {
        let kind: Block.Kind
        let subBlocks: Int
        switch try bytes.byte(at: start) {
        case 0x2C:
            kind = .frame
            subBlocks = start + 11 + GIFFile.colorByteCount(try bytes.byte(at: start + 9))
        case 0x21:
            kind = extensionKind(try bytes.byte(at: start + 1), bytes, at: start + 2)
            subBlocks = start + 2
        case 0x3B:
            return Block(kind: .end, range: FileRange(start..<start + 1))
        default:
            throw MediaFormatError(.malformed, "neither a frame, an extension nor the end", at: start)
        }
        let end = try endOfSubBlocks(bytes, from: subBlocks)
        return Block(kind: kind, range: FileRange(start..<end))
    }

    private static func extensionKind(_ label: UInt8, _ bytes: RawSpan, at offset: Int) -> Block.Kind {
        func isOf(_ application: StaticString) -> Bool { bytes.hasPrefix(application, at: offset) }
        switch label {
        case 0x01: return .plainText
        case 0xF9: return .control
        case 0xFE: return .comment
        case 0xFF where isOf("\u{0B}NETSCAPE2.0") || isOf("\u{0B}ANIMEXTS1.0"): return .repetition
        case 0xFF where isOf("\u{0B}ICCRGBG1012"): return .colorProfile
        case 0xFF where isOf("\u{0B}XMP DataXMP"): return .xmp
        default: return .unknown
        }
    }

    /// The offset after the terminator of the sub-blocks that begin at an offset.
    private static func endOfSubBlocks(_ bytes: RawSpan, from start: Int) throws(MediaFormatError) -> Int {
        var offset = start
        while case let length = Int(try bytes.byte(at: offset)), length > 0 { offset += 1 + length }
        return offset + 1
    }
}
