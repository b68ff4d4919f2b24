import GRDB
import LibraryAPI
import ObjectStorage
import Persistence
import PostgreSQL

extension StoreError {
    /// Wraps an error of the layers below: refusals are kept, system failures get the code that callers act on.
    ///
    /// - Returns: the error with its cause.
    package static func wrapping(_ error: any Error, about object: String = "") -> StoreError {
        if let error = error as? StoreError { return error }
        let (code, advice): (ErrorCode, String) =
            switch error {
            case let error as Persistence.PersistenceError: error.refusal
            case let error as ObjectStorageError: error.refusal
            case let error as PostgreSQLError: error.refusal
            case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
                (.storageFull, "The store has no room: free space on the server.")
            case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
                (.unavailable, "The database is busy: try again.")
            default: (.internalError, "The server failed: see its log.")
            }
        return StoreError(code, advice, about: object, cause: error)
    }
}

// GRDB also has a type of this name.
extension Persistence.PersistenceError {
    fileprivate var refusal: (ErrorCode, String) {
        switch code {
        case .noSpace: (.storageFull, "The store has no room: free space on the server.")
        case .damaged: (.storageDamaged, "Stored data is damaged: run the library's verification.")
        case .overloaded, .locked: (.unavailable, "The server is busy: try again.")
        case .notFound, .exists, .inputOutput, .notPermitted, .foreign, .system:
            (.internalError, "The server failed: see its log.")
        }
    }
}

extension ObjectStorageError {
    fileprivate var refusal: (ErrorCode, String) {
        switch code {
        case .damaged, .notFound: (.storageDamaged, "Stored data is damaged: run the library's verification.")
        // The store's administrator must act; boxes keep their data until then.
        case .denied, .unavailable, .refused: (.unavailable, "The store of originals is unavailable: try again.")
        }
    }
}

extension PostgreSQLError {
    fileprivate var refusal: (ErrorCode, String) {
        switch code {
        // The database's administrator must act; boxes keep their data until then.
        case .unavailable, .unknownOutcome, .conflict, .timeout, .denied, .untrusted, .unsuitable:
            (.unavailable, "The database is unavailable: try again.")
        case .noSpace: (.storageFull, "The database has no room: free space on its server.")
        case .damaged: (.storageDamaged, "Stored data is damaged: restore the database.")
        case .uniqueViolation, .failed: (.internalError, "The server failed: see its log.")
        }
    }
}
