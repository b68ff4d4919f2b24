import LibraryAPI
import LibraryStore

/// Reads the runs of a file chunk by chunk, opening late files when they are due.
struct ServedFileReader: Sendable {
    private enum Step: Sendable {
        case piece(ServedFile.Piece)
        /// Every byte of a file has been read.
        case end(ArchivedFile)
    }

    /// Bytes read from the disk at once.
    private static let chunkByteCount = 256 << 10

    /// Remaining steps, the next one last.
    private var steps: [Step]
    /// The checksum of a file that is read whole.
    private var sum: CRC32?

    /// Reads pieces in order.
    init(_ pieces: [ServedFile.Piece]) {
        steps = pieces.reversed().map(Step.piece)
    }

    /// The next bytes, at most a chunk of those in the library; nil at the end.
    ///
    /// - Throws: what opening and reading throw; `storageDamaged` if bytes are missing or a file's
    ///   length is not the promised one.
    @concurrent mutating func next() async throws -> [UInt8]? {
        while let step = steps.popLast() {
            let bytes: [UInt8]
            switch step {
            case .end(let file):
                file.note(checksum: sum?.value ?? 0)
                sum = nil
                continue
            case .piece(.file(let file, let range)):
                let opened = try await file.open()
                if range == 0..<file.byteCount {
                    sum = CRC32()
                    steps.append(.end(file))
                }
                steps += opened.pieces(in: range).reversed().map(Step.piece)
                continue
            case .piece(.bytes(let made)): bytes = made
            case .piece(.made(let byteCount, let range, let make)):
                let made = try await make()
                precondition(made.count == byteCount, "what is made is as long as was promised")
                bytes = Array(made[Int(range.lowerBound)..<Int(range.upperBound)])
            case .piece(.stored(let open, let range)):
                bytes = try await open.read(
                    Int(min(Int64(Self.chunkByteCount), Int64(range.count))),
                    at: range.lowerBound
                )
                guard !bytes.isEmpty else { throw StoreError(.storageDamaged, "The bytes end too early.") }
                let rest = range.lowerBound + Int64(bytes.count)..<range.upperBound
                if !rest.isEmpty { steps.append(.piece(.stored(open, rest))) }
            }
            sum?.update(bytes)
            return bytes
        }
        return nil
    }
}
