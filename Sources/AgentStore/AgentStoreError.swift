package import Persistence
package import PhotoModel

/// Why a call to the agent's store failed, for which asset, and what to do.
package struct AgentStoreError: Error, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: Hashable, Sendable {
        /// No room for another capture, on the disk or under the configured limit.
        case full
        /// The box is being retired and accepts nothing new.
        case draining
        /// The draft is not a valid asset.
        case invalid
        /// There is no such entry.
        case notFound
        /// The receipt is not for these bytes of this device, or its signature is wrong; nothing may be freed.
        case receiptRefused
        /// The bytes on disk are not the captured ones.
        case damaged
        /// A file is on a different file system from the queue, so it would have to be copied.
        case otherFileSystem
        /// The file system or the database failed.
        case storage
    }

    /// The kind of failure.
    package let code: Code
    /// The asset concerned; nil if none.
    package let assetID: AssetID?
    /// What happened, and what to do.
    package let message: String
    /// The underlying error.
    package let cause: (any Error)?

    package init(_ code: Code, _ assetID: AssetID? = nil, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.assetID = assetID
        self.message = message
        self.cause = cause
    }

    /// Wraps a file system error, with the asset it concerns; a full disk becomes `full`.
    package init(_ error: PersistenceError, _ assetID: AssetID? = nil) {
        let isFull = error.code == .noSpace
        self.init(isFull ? .full : .storage, assetID, error.description, cause: error)
    }

    /// Whether the disk cannot read a file, or not as it was written.
    package var isDamage: Bool {
        let code = (cause as? PersistenceError)?.code
        return code == .inputOutput || code == .damaged
    }

    /// The message with its asset.
    package var description: String { assetID.map { "asset \($0): \(message)" } ?? message }
}

extension AgentStore {
    /// Converts a file error to a store error, with the asset it concerns.
    static func stored<Value>(
        _ asset: AssetID? = nil,
        _ call: () throws(Persistence.PersistenceError) -> Value
    ) throws(AgentStoreError) -> Value {
        do {
            return try call()
        } catch {
            throw AgentStoreError(error, asset)
        }
    }
}
