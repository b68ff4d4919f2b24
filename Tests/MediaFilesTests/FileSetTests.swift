import Foundation
import Host
import Persistence
import PhotoModel
import Testing

@testable import MediaFiles

/// What a later look takes for the same file, on file systems that keep inodes and on those that do not.
struct FileSetTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    private let root = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")

    init() throws { try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true) }

    /// The mark of one file that is new in a folder, with a date that says nothing.
    private func mark(_ folder: String, _ name: String, _ bytes: [UInt8], keepsIdentity: Bool) throws
        -> FileSetFingerprint
    {
        let folder = root.appending(path: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        try Data(bytes).write(to: file)
        try FileManager.default.setAttributes([.modificationDate: Self.date], ofItemAtPath: file.path)
        let named = try #require(NamedFile(Path(file.path)))
        let later = HostClock.now().advanced(by: .seconds(60))
        return try #require(
            FileSetFingerprint([named], keepsIdentity: keepsIdentity, in: PosixFileSystem(), now: later)
        )
    }

    @Test("A card that is put in again has the same marks; another card's file of one name, length and time has not")
    func cards() throws {
        let frame = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let first = try mark("a", "IMG_1.CR2", frame, keepsIdentity: false)
        #expect(try mark("b", "IMG_1.CR2", frame, keepsIdentity: false) == first)
        #expect(try mark("c", "IMG_2.CR2", frame, keepsIdentity: false) != first)
        for place in [0, 16_383, frame.count - 16_384, frame.count - 1] {
            var other = frame
            other[place] ^= 1
            #expect(try mark("d\(place)", "IMG_1.CR2", other, keepsIdentity: false) != first)
        }
        let short = try mark("e", "IMG_1.JPG", [1, 2, 3], keepsIdentity: false)
        #expect(try mark("f", "IMG_1.JPG", [1, 2, 4], keepsIdentity: false) != short)
    }

    @Test("Where inodes are kept, the same bytes in another file have another mark")
    func identity() throws {
        let first = try mark("a", "IMG_1.JPG", [1, 2, 3], keepsIdentity: true)
        #expect(try mark("b", "IMG_1.JPG", [1, 2, 3], keepsIdentity: true) != first)
    }

    @Test("Records come back as they were kept; a rest and a damaged end say nothing")
    func records() throws {
        let records = try (0..<3).map { number in
            FileSet.Record(
                mark: try mark("r", "IMG_\(number).JPG", [1], keepsIdentity: false),
                assetCount: UInt8(number),
                skippedCount: 255
            )
        }
        let bytes = records.flatMap(\.bytes)
        #expect(FileSet.Record.records(in: bytes) == records)
        #expect(FileSet.Record.records(in: Array(bytes.dropLast())) == Array(records.dropLast()))
        #expect(FileSet.Record.records(in: []).isEmpty && FileSet.Record.records(in: [1]).isEmpty)
    }
}
