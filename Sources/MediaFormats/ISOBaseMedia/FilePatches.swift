/// Changes to a file that move nothing: each byte is kept or replaced.
struct FilePatches {
    /// The replacement of a range.
    enum Content {
        /// As many bytes as the range has.
        case bytes([UInt8])
        /// Zeros.
        case zeros
    }

    /// In the order they were added.
    var patches: [(range: FileRange, content: Content)] = []

    /// Replaces the bytes from an offset on.
    mutating func replace(at offset: Int, with bytes: [UInt8]) {
        guard let range = FileRange(offset: offset, length: bytes.count), !range.isEmpty else { return }
        patches.append((range, .bytes(bytes)))
    }

    /// Replaces every byte of a range by zero.
    mutating func zero(_ range: FileRange) {
        guard !range.isEmpty else { return }
        // Millions of samples are often one range.
        if let last = patches.last, case .zeros = last.content, last.range.end == range.offset {
            patches[patches.count - 1].range = FileRange(last.range.offset..<range.end)
        } else {
            patches.append((range, .zeros))
        }
    }

    /// Turns a box into a `free` box full of zeros.
    ///
    /// The header keeps its length: a 64-bit size stays, a user type becomes zeros.
    mutating func free(_ box: Box) {
        replace(at: box.range.offset + 4, with: Array("free".utf8))
        zero(box.range.dropping(box.userType == nil ? box.headerLength : box.headerLength - 16))
    }

    /// The file, of the same length, with the changes applied; patches beyond it are ignored.
    ///
    /// If patches overlap, the one that begins first wins; the file bounds the work, however many overlap.
    func applied(toFileOf byteCount: Int) -> RewrittenFile {
        var file = RewrittenFile()
        var place = 0
        for patch in patches.sorted(by: { $0.range.offset < $1.range.offset }) {
            let start = max(place, patch.range.offset)
            let end = min(patch.range.end, byteCount)
            guard start < end else { continue }
            file.append(FileRange(place..<start))
            switch patch.content {
            case .bytes(let bytes):
                file.append(Array(bytes[(start - patch.range.offset)..<(end - patch.range.offset)]))
            case .zeros:
                Self.appendZeros(end - start, to: &file)
            }
            place = end
        }
        if place < byteCount { file.append(FileRange(place..<byteCount)) }
        return file
    }

    /// All pieces share one block of zeros, so that a hostile file cannot cause gigabytes of them to be allocated.
    private static func appendZeros(_ count: Int, to file: inout RewrittenFile) {
        var left = count
        while left >= zeroBlock.count {
            file.append(zeroBlock)
            left -= zeroBlock.count
        }
        file.append(Array(repeating: 0, count: left))
    }

    private static let zeroBlock = [UInt8](repeating: 0, count: 64 << 10)
}
