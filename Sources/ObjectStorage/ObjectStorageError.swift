/// Why a request to an object store failed.
package struct ObjectStorageError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// There is no such object, upload or bucket.
        case notFound
        /// The store received different bytes than announced, or returned different bytes than requested.
        case damaged
        /// The store refuses the key, or the key lacks a permission.
        case denied
        /// The store cannot be reached, or every attempt failed.
        case unavailable
        /// The store refuses the request.
        case refused
    }

    /// The kind of failure.
    package let code: Code
    /// The method, for example `PUT`.
    package let operation: String
    /// The key, or the bucket.
    package let object: String
    /// The HTTP status; 0 without a response.
    package let status: Int
    /// The store's error code, for example `NoSuchKey`; empty if none.
    package let storeCode: String
    /// The underlying error, if any.
    package let cause: (any Error)?

    init(
        _ code: Code,
        _ operation: String,
        _ object: String,
        status: Int = 0,
        storeCode: String = "",
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.operation = operation
        self.object = object
        self.status = status
        self.storeCode = storeCode
        self.cause = cause
    }

    /// For logs, for example `PUT originals/…: unavailable, 503 SlowDown`.
    package var description: String {
        var text = "\(operation) \(object): \(code.rawValue)"
        if status > 0 { text += ", \(status) \(storeCode)" }
        return cause.map { "\(text) (\($0))" } ?? text
    }
}
