package import Crypto

/// Identifies the key that signed a receipt: the first 16 hexadecimal digits of its fingerprint.
package struct ReceiptKeyID: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// The digits.
    package let description: String

    /// Parses 16 lower-case hexadecimal digits; nil for anything else.
    package init?(_ description: String) {
        guard description.utf8.count == 16, description.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
            return nil
        }
        self.description = description
    }

    init(_ fingerprint: Fingerprint) {
        description = String(fingerprint.description.prefix(16))
    }
}

/// A receipt's signature: ECDSA on P-256 over SHA-256 of the receipt's canonical bytes.
package struct ReceiptSignature: Hashable, Sendable {
    /// The signing key.
    package let keyID: ReceiptKeyID
    /// The signature in DER, as `openssl dgst -sha256 -verify` reads it.
    package let bytes: [UInt8]

    package init(keyID: ReceiptKeyID, bytes: [UInt8]) {
        self.keyID = keyID
        self.bytes = bytes
    }
}

/// The key with which a server signs its receipts.
package struct ReceiptKey: Sendable {
    private let key: DeviceKey
    /// The public half, which verifies.
    package let verificationKey: ReceiptVerificationKey

    /// Uses this key for receipts and nothing else.
    package init(_ key: DeviceKey) {
        self.key = key
        verificationKey = ReceiptVerificationKey(key.privateKey.publicKey)
    }

    /// Derives a secret of 256 bits for each purpose, a string that no other uses, valid as long as the key and
    /// revealing nothing about it (HKDF-SHA256, RFC 5869).
    package func secret(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key.privateKey.rawRepresentation),
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }

    /// Signs a receipt's canonical bytes.
    ///
    /// - Throws: `signingFailed`.
    package func signature(for bytes: [UInt8]) throws(DeviceIdentityError) -> ReceiptSignature {
        ReceiptSignature(keyID: verificationKey.id, bytes: try key.signature(for: bytes))
    }
}

/// The public half of a ``ReceiptKey``, which verifies a receipt without asking the server.
package struct ReceiptVerificationKey: Sendable {
    private let key: P256.Signing.PublicKey
    /// The identifier used in receipts, computed once: a key signs and verifies thousands.
    package let id: ReceiptKeyID

    /// Verifies with this key.
    package init(_ key: P256.Signing.PublicKey) {
        self.key = key
        id = ReceiptKeyID(Fingerprint(hashing: key.derRepresentation))
    }

    /// Reads a public key in DER (SubjectPublicKeyInfo).
    ///
    /// - Throws: `keyMalformed`.
    package init(der: [UInt8]) throws(DeviceIdentityError) {
        let key: P256.Signing.PublicKey
        do {
            key = try P256.Signing.PublicKey(derRepresentation: der)
        } catch {
            throw DeviceIdentityError(.keyMalformed, "this is not a P-256 public key in DER", cause: error)
        }
        self.init(key)
    }

    /// The key in DER (SubjectPublicKeyInfo).
    package var der: [UInt8] { Array(key.derRepresentation) }

    /// Whether this key made the signature over these bytes.
    package func isValid(_ signature: ReceiptSignature, for bytes: [UInt8]) -> Bool {
        guard signature.keyID == id,
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature.bytes)
        else { return false }
        return key.isValidSignature(parsed, for: bytes)
    }
}
