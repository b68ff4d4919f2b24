import ObjectStorage
import Persistence
import PhotoModel

/// The stored note of a multipart upload, from which any process can continue or abort it.
///
/// One line each: the key; the store's identifier of the upload; the checksums of its parts, which not every store
/// lists. The note is first written with only the key, before the upload begins, so that it can be found by its key
/// whenever the process ends.
struct StoredUpload {
    let key: String
    /// The store's identifier of the upload; nil before its first part.
    var upload: String?
    /// The checksums of the parts, in order.
    var checksums: [String] = []

    /// Reads a note of an upload; nil if it is missing or invalid.
    static func read(_ note: String, of name: String, in client: ObjectClient) async throws -> StoredUpload? {
        guard let bytes = try await client.small(note) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        guard let key = lines.first, ObjectKeys.address(key)?.copy?.hasPrefix(name) == true else { return nil }
        return StoredUpload(key: key, upload: lines.dropFirst().first, checksums: Array(lines.dropFirst(2)))
    }

    /// Writes the note of an upload's turn.
    func write(_ name: String, turn: Int64, in client: ObjectClient) async throws {
        let lines = [key] + (upload.map { [$0] } ?? []) + checksums
        let bytes = Array(lines.map { "\($0)\n" }.joined().utf8)
        try await client.put(ObjectKeys.parts(of: name, turn: turn), bytes)
    }

    /// Aborts every upload of the key, also those whose creation got no response and so are not named here.
    func abort(in client: ObjectClient) async throws {
        var uploads = Set(upload.map { [$0] } ?? [])
        do {
            uploads.formUnion(try await client.uploads(of: key))
        } catch let error as ObjectStorageError where error.code == .refused {
            // This store cannot list uploads.
        }
        for upload in uploads { try await client.abort(upload, key) }
    }
}
