import AgentStore
import Foundation
import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// A Live Photo that a recorder writes into an intake, as the real one does: a file is durable with its name, which has
/// its digest.
struct Shot {
    /// What a reader takes for a JPEG and for a movie.
    static let still: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 500) + [0xFF, 0xD9]
    static let movie: [UInt8] =
        [0, 0, 0, 20] + Array("ftypqt  ".utf8) + [0, 0, 0, 0] + Array("qt  ".utf8) + [UInt8](repeating: 0, count: 900)

    let id: AssetID
    let begun: EntryRecord

    init(_ number: Int) {
        id = AssetID(rawValue: 0x0190_0000_0000_7000_8000_0000_0000_0000 + UInt128(number))
        var manifest = AssetManifest(
            id: id,
            mediaType: .image,
            captureTime: CaptureTime(wall: Draft.start, source: .deviceClock, isSynchronized: true),
            desiredAlbum: .title("Gate"),
            resources: []
        )
        manifest.captureFacts = CaptureFacts(trigger: "input gate")
        begun = EntryRecord(manifest, isIncompleteLivePhoto: true)
    }

    /// Writes both files, and describes the finished shot.
    func recorded(into intake: Intake, of files: any FileSystem) throws -> CaptureDraft {
        var draft = CaptureDraft(begun.manifest)
        draft.manifest.mediaSubtypes = .photoLive
        for (bytes, type, ending) in [(Self.still, AssetResourceType.photo, "jpg"), (Self.movie, .pairedVideo, "mov")] {
            let digest = ContentHasher.digest(bytes)
            let path = try write(bytes, digest.fileName(stem: "\(id)", fileExtension: ending), in: intake.path, files)
            draft.append(
                try intake.recorded(path, digest: digest, byteCount: Int64(bytes.count)),
                id: .derived(from: digest),
                type: type,
                contentType: type == .photo ? "image/jpeg" : "video/quicktime"
            )
        }
        return draft
    }

    /// What a process leaves that ends before the shot is in the queue.
    func leave(in folder: Path, hasRecord: Bool) throws {
        try leave(in: folder, hasRecord: hasRecord, names: (stillName, movieName))
    }

    /// The names that the recorder gives the files.
    var stillName: String { ContentHasher.digest(Self.still).fileName(stem: "\(id)", fileExtension: "jpg") }
    var movieName: String { ContentHasher.digest(Self.movie).fileName(stem: "\(id)", fileExtension: "mov") }

    private func leave(in folder: Path, hasRecord: Bool, names: (still: String, movie: String)) throws {
        let files = PosixFileSystem()
        try files.createDirectories(folder)
        try write(Self.still, names.still, in: folder, files)
        try write(Self.movie, names.movie, in: folder, files)
        try write([1], ".\(id).mov.part", in: folder, files)
        if hasRecord { try files.writeAtomically(folder.appending("entry.json"), Array(JSONEncoder().encode(begun))) }
    }

    /// The same of version 0.1, whose record was another one, byte for byte.
    func leaveAsFormerVersion(in folder: Path) throws {
        try leave(in: folder, hasRecord: false, names: ("\(id).jpg", "\(id).mov"))
        let record = """
            {"album":"Gate","flags":[],"id":"\(id)","isLivePhoto":true,"profile":"gate","requestedTime":{"bootID":\
            "1a08b77a-d85d-4db9-8809-2c311b565fc8","isSynchronized":false,"monotonicNanoseconds":16316755833051,\
            "source":"deviceClock","utcOffsetSeconds":0,"wall":"2026-11-24T10:41:55.724626Z"},\
            "trigger":{"kind":"input","name":"gate"}}
            """
        let files = PosixFileSystem()
        try files.writeAtomically(folder.appending("capture.json"), Array(record.utf8))
        try files.open(folder.appending("lock"), .update).close()
    }

    @discardableResult
    private func write(
        _ bytes: [UInt8],
        _ name: String,
        in folder: Path,
        _ files: any FileSystem
    ) throws -> Path {
        let temporary = folder.appending(".\(name).part")
        let file = try files.open(temporary, .create)
        try file.write(bytes[...], at: 0)
        try files.rename(temporary, to: folder.appending(name))
        try file.synchronize()
        try file.close()
        return folder.appending(name)
    }
}

extension AgentStore {
    /// Loses a row, as a power cut does that comes before it is durable.
    func forget(_ asset: AssetID) throws {
        try DatabaseQueue(path: root.appending("state.sqlite").text).write { database in
            try database.execute(sql: "DELETE FROM entries WHERE asset_id = ?", arguments: [asset.description])
        }
    }
}
