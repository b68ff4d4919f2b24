import MediaFormats
import Persistence
import PhotoModel

/// Files of one folder that share a name, as one look saw them, so that a later one knows them again without reading.
package struct FileSet: Sendable {
    /// What is kept of a set that was taken whole and without any remark.
    package struct Record: Hashable, Sendable {
        /// How the files looked.
        package let mark: FileSetFingerprint
        /// Photos, movies and pairs among them.
        package let assetCount: UInt8
        /// Files among them that are no media.
        package let skippedCount: UInt8
    }

    /// The folder, for people.
    package let folder: String
    /// Nil for what has to be looked at again: what a person was told of it, or what may still find its partner.
    package internal(set) var record: Record?
}

/// How the files of a set look from outside: names, lengths and times, and where they lie.
///
/// Inode and change time (`st_ctim`) alone tell a file of a Linux file system from one that took its place, since programs
/// can set the modification time and cannot set these. Cards (FAT, exFAT) and network shares keep neither, and two cameras
/// without a clock may well write one name, length and time: there the first and last bytes tell, too.
package struct FileSetFingerprint: Hashable, Sendable {
    static let byteCount = 16
    private static let sampleByteCount = 16 << 10
    /// Raised when files are known, or belong together, that were not before: all are read once more then.
    private static let scheme: UInt8 = 1
    /// How far a clock has to have gone on before a later change is sure to show: FAT counts two seconds.
    private static let granularity: Int64 = 2

    /// The first half of a SHA-256.
    private let high: UInt64
    private let low: UInt64

    /// Makes a mark; nil also where a file is gone, cannot be read, or lies where a link leads.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - keepsIdentity: whether their file system keeps inodes and change times.
    ///   - fileSystem: where they are read.
    ///   - now: the box's clock; what was changed just before may change again within one tick, and has no mark.
    init?(_ files: [NamedFile], keepsIdentity: Bool, in fileSystem: any FileSystem, now: WallTime) {
        let end = now.microsecondsSince1970 / 1_000_000 - Self.granularity
        var text = [Self.scheme]
        for file in files {
            guard !file.isLinked, let facts = file.facts, (keepsIdentity ? facts.changed : facts.modified).0 < end
            else { return nil }
            text.append(number: file.name.bytes.count)
            text += file.name.bytes
            for number in [facts.byteCount, facts.modified.0, facts.modified.1] { text.append(number: number) }
            if keepsIdentity {
                for number in [Int(bitPattern: facts.inode), facts.changed.0, facts.changed.1] {
                    text.append(number: number)
                }
            } else {
                guard let sample = try? Self.sample(file, in: fileSystem) else { return nil }
                text += sample
            }
        }
        self.init(ContentHasher.digest(text).bytes[...])
    }

    /// Takes the first bytes of a digest.
    init(_ bytes: ArraySlice<UInt8>) {
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes that it is kept as.
    var bytes: [UInt8] {
        [high, low].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    }

    private static func sample(_ file: NamedFile, in fileSystem: any FileSystem) throws -> [UInt8] {
        let source = try FileSource(file.path, in: fileSystem)
        let count = min(source.byteCount, sampleByteCount)
        let head = try source.bytes(in: FileRange(0..<count))
        let tail = try source.bytes(in: FileRange(source.byteCount - count..<source.byteCount))
        return ContentHasher.digest(head + tail).bytes
    }
}

extension [UInt8] {
    /// Appends a number of eight bytes, the lowest first.
    fileprivate mutating func append(number: Int) {
        for place in 0..<8 { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }
}

extension FileSet.Record {
    private static let byteCount = FileSetFingerprint.byteCount + 2

    /// The record as it is kept: the mark, then both counts.
    package var bytes: [UInt8] { mark.bytes + [assetCount, skippedCount] }

    /// Reads records that were kept one after the other; a rest that is none is left out.
    package static func records(in bytes: [UInt8]) -> [Self] {
        stride(from: 0, through: bytes.count - byteCount, by: byteCount).map { start in
            Self(
                mark: FileSetFingerprint(bytes[start..<start + FileSetFingerprint.byteCount]),
                assetCount: bytes[start + FileSetFingerprint.byteCount],
                skippedCount: bytes[start + FileSetFingerprint.byteCount + 1]
            )
        }
    }
}
