import Authorization
package import LibraryAPI
import PhotoModel

/// A refusal or failure of the store, with the code that determines status and retry.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of refusal or failure.
    package let code: ErrorCode
    /// What happened, and what to do next; suitable for sending.
    package let message: String
    /// The affected object, for logs.
    package let object: String
    /// The cause, for local use and logs.
    package let cause: (any Error)?
    /// The upload's offset and the one sent, with `.offsetMismatch`.
    package let offsets: (expected: Int64, provided: Int64)?

    /// Describes a refusal or failure.
    package init(_ code: ErrorCode, _ message: String, about object: String = "", cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.object = object
        self.cause = cause
        offsets = nil
    }

    /// Describes a refusal in the words that every route has for it.
    init(_ denial: Denial, about object: String) {
        self.init(denial.code, Explanation(denial).description, about: object)
    }

    private init(offsets: (expected: Int64, provided: Int64), about object: String) {
        code = .offsetMismatch
        message = "The upload is at byte \(offsets.expected): continue from there."
        self.object = object
        cause = nil
        self.offsets = offsets
    }

    /// Nothing of that name exists, or the caller may not know of it.
    package static func notFound(_ object: String) -> StoreError { StoreError(Denial.notFound, about: object) }

    /// The identifier of a new asset is, or was, another's.
    static func identifierTaken(_ id: AssetID) -> StoreError {
        StoreError(.assetConflict, "Another asset has this identifier: use a new one.", about: id.description)
    }

    static func offsetMismatch(expected: Int64, provided: Int64, about object: String) -> StoreError {
        StoreError(offsets: (expected, provided), about: object)
    }

    /// The response to a caller.
    package var details: ProblemDetails {
        guard let offsets else {
            let seconds: Int? =
                switch code {
                case .unavailable: 5
                // People make room.
                case .storageFull: 300
                default: nil
                }
            return ProblemDetails(code, message, retryAfterSeconds: seconds)
        }
        return .offsetMismatch(expected: offsets.expected, provided: offsets.provided)
    }

    /// For logs, with object and cause.
    package var description: String {
        let about = object.isEmpty ? "" : " (\(object))"
        return "\(code.rawValue)\(about): \(message)" + (cause.map { " Cause: \($0)" } ?? "")
    }
}

extension Optional {
    /// What a caller names.
    ///
    /// - Throws: `notFound` about the object if nil: missing, or hidden from the caller.
    func orNotFound(_ object: some CustomStringConvertible) throws(StoreError) -> Wrapped {
        guard let value = self else { throw .notFound(object.description) }
        return value
    }
}
