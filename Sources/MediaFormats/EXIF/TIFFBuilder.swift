/// Lays out a TIFF structure: directories, their values, and the blocks they point to.
///
/// The result is deterministic: entries in ascending order of tags, then at even offsets their values and directories in
/// the same order, then their blocks. These may be long, and readers look for directories near the beginning.
package struct TIFFBuilder: Sendable {
    /// What an entry holds.
    package indirect enum Value: Sendable {
        /// Values in the structure's byte order.
        case data(TIFFType, count: Int, [UInt8])
        /// The offset of a directory.
        case directory(Directory)
        /// The offset of bytes.
        case block([UInt8])
    }

    /// A directory: entries by tag.
    package typealias Directory = [UInt16: Value]

    private var writer: ByteWriter

    /// Builds the structure of the image directories, IFD0 first, from the byte order mark.
    ///
    /// - Throws: `unrepresentable` if it is larger than 4 GiB.
    package static func bytes(of chain: [Directory], order: ByteOrder) throws(MediaFormatError) -> [UInt8] {
        var builder = TIFFBuilder(order: order)
        var link = 4
        for directory in chain {
            try builder.patchOffset(at: link)
            link = try builder.append(directory)
        }
        return builder.writer.bytes
    }

    private init(order: ByteOrder) {
        writer = ByteWriter(order: order)
        writer.append(order == .bigEndian ? "MM" : "II")
        writer.append(UInt16(42))
        writer.append(UInt32(0))
    }

    /// Appends a directory with everything it points to; returns where the next directory's offset goes.
    private mutating func append(_ directory: Directory) throws(MediaFormatError) -> Int {
        let entries = directory.sorted { $0.key < $1.key }
        guard let count = UInt16(exactly: entries.count) else {
            throw MediaFormatError(.unrepresentable, "too many entries for one directory")
        }
        let start = writer.count
        writer.append(count)
        for (tag, value) in entries { try appendEntry(tag, value) }
        let link = writer.count
        writer.append(UInt32(0))
        var blocks: [(field: Int, bytes: [UInt8])] = []
        for (index, entry) in entries.enumerated() {
            let field = start + 2 + index * 12 + 8
            switch entry.value {
            case .data(_, _, let bytes) where bytes.count <= 4:
                continue
            case .data(_, _, let bytes):
                try patchOffset(at: field)
                writer.append(bytes)
            case .block(let bytes):
                blocks.append((field, bytes))
            case .directory(let child):
                try patchOffset(at: field)
                _ = try append(child)
            }
        }
        for block in blocks {
            try patchOffset(at: block.field)
            writer.append(block.bytes)
        }
        padToEven()
        return link
    }

    private mutating func appendEntry(_ tag: UInt16, _ value: Value) throws(MediaFormatError) {
        writer.append(tag)
        guard case .data(let type, let count, let bytes) = value else {
            writer.append(TIFFType.long.rawValue)
            writer.append(UInt32(1))
            writer.append(UInt32(0))
            return
        }
        guard let count = UInt32(exactly: count) else {
            throw MediaFormatError(.unrepresentable, "too many values for one entry")
        }
        writer.append(type.rawValue)
        writer.append(count)
        writer.append(bytes.count <= 4 ? bytes : [])
        writer.append(repeating: 0, count: bytes.count <= 4 ? 4 - bytes.count : 4)
    }

    private mutating func padToEven() {
        writer.append(repeating: 0, count: writer.count & 1)
    }

    /// Fills in the offset of the next appended part.
    private mutating func patchOffset(at place: Int) throws(MediaFormatError) {
        padToEven()
        guard let offset = UInt32(exactly: writer.count) else {
            throw MediaFormatError(.unrepresentable, "a TIFF structure cannot be larger than 4 GiB")
        }
        writer.patch(offset, at: place)
    }
}
