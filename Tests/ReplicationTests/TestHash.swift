import Replication

import struct Crypto.SHA256

extension HashFunction {
    /// SHA-256, as in production.
    static let sha256 = HashFunction { bytes in
        HashValue(Array(SHA256.hash(data: bytes))) ?? HashFunction.zero
    }

    private static var zero: HashValue {
        guard let zero = HashValue(Array(repeating: 0, count: 32)) else { preconditionFailure("32 bytes are a hash") }
        return zero
    }
}
