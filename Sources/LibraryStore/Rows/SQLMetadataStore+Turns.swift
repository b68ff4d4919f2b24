package import LibraryAPI
import PhotoModel

// Uploads that any of several servers may receive: the row has the latest turn, and a request with an earlier one stops
// writing.
extension SQLMetadataStore {
    /// One of the caller's uploads, taken over for a request with bytes.
    package func takeTurn(of id: UploadID, by caller: StoreCaller) async throws -> UploadRecord {
        guard isShared else { return try await upload(id, of: caller) }
        return try await together([id], caller.locks) { id, database in
            _ = try admit(caller, database)
            try database.statement("UPDATE upload SET turn = turn + 1 WHERE id = ? AND owner = ?")
                .execute([id.blob, caller.owner])
            return try UploadTable.fetch(id, owner: caller.owner, database).orNotFound(id)
        }[0].get()
    }

    /// Checks that no newer request took an upload over.
    package func confirmTurn(of upload: UploadRecord) async throws {
        guard isShared else { return }
        try await store.read { database in
            let current = try UploadTable.fetch(upload.id, owner: nil, database)
            guard current?.turn == upload.turn else { throw try Self.refusal(of: upload.id, database) }
        }
    }

    /// Why no progress of an upload was recorded.
    static func refusal(of id: UploadID, _ database: any SQLSession) throws -> StoreError {
        try UploadTable.fetch(id, owner: nil, database) == nil ? .uploadGone(id) : .uploadSuperseded(id)
    }
}

extension StoreError {
    /// The upload's row is gone.
    static func uploadGone(_ id: UploadID) -> StoreError {
        StoreError(.uploadGone, "The upload was cancelled or has expired.", about: id.description)
    }

    /// A newer request, on any server, has the upload.
    static func uploadSuperseded(_ id: UploadID) -> StoreError {
        StoreError(
            .uploadSuperseded,
            "A newer request took this upload over: query its offset and continue from there.",
            about: id.description
        )
    }
}
