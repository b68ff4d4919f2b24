package import AgentStore
package import BoxIdentity
import LibraryAPI
package import LibraryClient
package import Persistence

/// Why a call of the photo library failed, and what to do.
public struct PhotoLibraryError: Error, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// The box is not a device of a library yet: `tintype-agent enroll`.
        case notEnrolled
        /// The level that it needs was not granted.
        case notAuthorized
        /// There is no such object in the caller's view.
        case notFound
        /// The request is invalid, such as an asset without a photo or movie.
        case invalid
        /// The token is older than what is remembered: fetch everything again.
        case tokenExpired
        /// The picker session is over.
        case pickerEnded
        /// The library cannot be reached, or refused.
        case library
        /// The box's own store failed.
        case storage
        /// The received bytes are not the announced ones.
        case damaged
        /// No agent is running on this box.
        case notRunning
        /// The camera delivers no pictures.
        case camera
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do.
    public let description: String
    /// The error underneath.
    public let cause: (any Error)?

    package init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    /// Converts a library error.
    package init(_ error: LibraryClientError) {
        let code: Code =
            switch error.code {
            case .refused(.pickerEnded): .pickerEnded
            case .refused(.notFound): .notFound
            case .refused(.notDetermined), .refused(.denied), .refused(.restricted), .refused(.insufficientScope):
                .notAuthorized
            default: .library
            }
        self.init(code, error.description, cause: error)
    }

    /// Converts an error of the box's own store.
    package init(_ error: AgentStoreError) {
        let code: Code =
            switch error.code {
            case .invalid: .invalid
            case .notFound: .notFound
            case .draining: .notAuthorized
            case .full, .receiptRefused, .damaged, .otherFileSystem, .storage: .storage
            }
        self.init(code, error.description, cause: error)
    }

    /// Converts an error of the box's identity.
    package init(_ error: BoxIdentityError) {
        let code: Code =
            switch error.code {
            case .notEnrolled: .notEnrolled
            case .storage: .storage
            }
        self.init(code, error.description, cause: error)
    }

    /// Converts a file system error.
    package init(_ error: PersistenceError) {
        self.init(.storage, error.description, cause: error)
    }
}
