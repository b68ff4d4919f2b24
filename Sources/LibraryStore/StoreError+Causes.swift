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
        switch error {
        case let error as StoreError: error
        case let error as Persistence.PersistenceError:
            StoreError(error.storeCode, error.advice, about: object, cause: error)
        case let error as ObjectStorageError:
            StoreError(error.libraryCode, error.advice, about: object, cause: error)
        case let error as PostgreSQLError:
            StoreError(error.libraryCode, error.advice, about: object, cause: error)
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
            StoreError(.storageFull, "The store has no room: free space on the server.", about: object, cause: error)
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
            StoreError(.unavailable, "The database is busy: try again.", about: object, cause: error)
        default: StoreError(.internalError, "The server failed: see its log.", about: object, cause: error)
        }
    }
}

// GRDB also has a type of this name.
extension Persistence.PersistenceError {
    fileprivate var storeCode: ErrorCode {
        switch code {
        case .noSpace: .storageFull
        case .damaged: .storageDamaged
        case .overloaded, .locked: .unavailable
        case .notFound, .exists, .inputOutput, .notPermitted, .foreign, .system: .internalError
        }
    }

    fileprivate var advice: String {
        switch code {
        case .noSpace: "The store has no room: free space on the server."
        case .damaged: "Stored data is damaged: run the library's verification."
        case .overloaded, .locked: "The server is busy: try again."
        case .notFound, .exists, .inputOutput, .notPermitted, .foreign, .system:
            "The server failed: see its log."
        }
    }
}

extension ObjectStorageError {
    fileprivate var libraryCode: ErrorCode {
        switch code {
        case .damaged, .notFound: .storageDamaged
        // The store's administrator must act; boxes keep their data until then.
        case .denied, .unavailable, .refused: .unavailable
        }
    }

    fileprivate var advice: String {
        switch code {
        case .damaged, .notFound: "Stored data is damaged: run the library's verification."
        case .denied, .unavailable, .refused: "The store of originals is unavailable: try again."
        }
    }
}

extension PostgreSQLError {
    fileprivate var libraryCode: ErrorCode {
        switch code {
        // The database's administrator must act; boxes keep their data until then.
        case .unavailable, .unknownOutcome, .conflict, .timeout, .denied, .untrusted, .unsuitable: .unavailable
        case .noSpace: .storageFull
        case .damaged: .storageDamaged
        case .uniqueViolation, .failed: .internalError
        }
    }

    fileprivate var advice: String {
        switch code {
        case .unavailable, .unknownOutcome, .conflict, .timeout, .denied, .untrusted, .unsuitable:
            "The database is unavailable: try again."
        case .noSpace: "The database has no room: free space on its server."
        case .damaged: "Stored data is damaged: restore the database."
        case .uniqueViolation, .failed: "The server failed: see its log."
        }
    }
}
