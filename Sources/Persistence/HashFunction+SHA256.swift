import PhotoModel
package import Replication

extension HashFunction {
    /// SHA-256, used by server and boxes to chain their histories.
    package static let sha256 = HashFunction { bytes in
        guard let value = HashValue(ContentHasher.digest(bytes).bytes) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return value
    }
}
