import MediaFormats
import Persistence
import PhotoModel

/// Files of one folder with a common name, as seen at one time, so that they can be recognised later without reading
/// them.
package struct FileSet: Sendable {
    /// The record of a set that was imported completely and without remarks.
    package struct Record: Hashable, Sendable {
        /// The set's fingerprint.
        package let mark: FileSetFingerprint
        /// The number of photos, movies and pairs.
        package let assetCount: UInt8
        /// The number of skipped files.
        package let skippedCount: UInt8
    }

    /// The folder, for people.
    package let folder: String
    /// Nil if the set must be examined again: a person was told something about it, or it may still find its partner.
    package internal(set) var record: Record?
}

/// The outward appearance of a set's files: names, lengths, times and locations.
///
/// On Linux file systems only inode and change time (`st_ctim`) distinguish a file from one that replaced it, since
/// programs can set the modification time but not these. Cards (FAT, exFAT) and network shares preserve neither, and
/// two cameras without a clock may write the same name, length and time: there the first and last bytes are included.
package struct FileSetFingerprint: Hashable, Sendable {
    static let byteCount = 16
    private static let sampleByteCount = 16 << 10
    /// Increment when files are newly recognised or grouped: all are then read again.
    private static let scheme: UInt8 = 2
    /// How far the clock must have advanced before a later change is certain to show: FAT has two-second resolution.
    private static let granularity: Int64 = 2

    /// The first half of a SHA-256.
    private let high: UInt64
    private let low: UInt64

    /// Computes a fingerprint; nil if a file is gone, unreadable, behind a link, or in an archive.
    ///
    /// Inodes and change times count if the file system preserves them. A file changed just before the box's time may
    /// change again within one tick, so it has no fingerprint.
    init?(_ files: [NamedFile], keepsIdentity: Bool, in fileSystem: any FileSystem, now: WallTime) {
        let end = now.microsecondsSince1970 / 1_000_000 - Self.granularity
        var text = [Self.scheme]
        for file in files {
            guard !file.isLinked, !file.isArchived, let facts = file.facts,
                (keepsIdentity ? facts.changed : facts.modified).0 < end
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
        high = UInt64(bigEndianBytes: bytes.prefix(8))
        low = UInt64(bigEndianBytes: bytes.dropFirst(8).prefix(8))
    }

    /// The stored bytes.
    var bytes: [UInt8] {
        high.bigEndianBytes + low.bigEndianBytes
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
    /// Appends an 8-byte number, little-endian.
    fileprivate mutating func append(number: Int) {
        for place in 0..<8 { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }
}

extension FileSet.Record {
    private static let byteCount = FileSetFingerprint.byteCount + 2

    /// The stored record: the fingerprint, then both counts.
    package var bytes: [UInt8] { mark.bytes + [assetCount, skippedCount] }

    /// Parses consecutive stored records; an incomplete rest is ignored.
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
