package import Crypto
import SwiftASN1
import X509

/// A P-256 key (FIPS 186-5) that identifies a device, a server or an operator; it never leaves its machine.
package struct DeviceKey: Sendable {
    /// The private key.
    package let privateKey: P256.Signing.PrivateKey

    /// A new random key.
    package init() {
        privateKey = P256.Signing.PrivateKey()
    }

    /// Reads a key in PEM (PKCS #8, RFC 5958, or SEC 1).
    ///
    /// - Throws: `keyMalformed` for anything but a private key on P-256.
    package init(pem: String) throws(DeviceIdentityError) {
        do {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw DeviceIdentityError(.keyMalformed, "this is not a P-256 private key in PEM", cause: error)
        }
    }

    /// Generates a key and stores it in a new file, mode 0600.
    ///
    /// - Throws: `fileExists` if the file already exists, `fileFailed`.
    package static func create(at path: String) throws(DeviceIdentityError) -> DeviceKey {
        let key = DeviceKey()
        try PrivateFile.create(path, text: key.pem + "\n")
        return key
    }

    /// Reads a key stored by ``create(at:)``.
    ///
    /// - Throws: `fileFailed`, `fileInsecure`, `keyMalformed`.
    package static func load(from path: String) throws(DeviceIdentityError) -> DeviceKey {
        try DeviceKey(pem: PrivateFile.readSecret(path))
    }

    /// The key in PEM (PKCS #8), as TLS libraries read it.
    package var pem: String { privateKey.pemRepresentation }

    /// The SHA-256 of the public key.
    package var fingerprint: Fingerprint { Fingerprint(hashing: privateKey.publicKey.derRepresentation) }

    /// Signs bytes with ECDSA over SHA-256; the signature is in DER, as OpenSSL expects.
    ///
    /// - Throws: `signingFailed`.
    package func signature(for bytes: [UInt8]) throws(DeviceIdentityError) -> [UInt8] {
        do {
            return Array(try privateKey.signature(for: bytes).derRepresentation)
        } catch {
            throw DeviceIdentityError(.signingFailed, "the key could not sign", cause: error)
        }
    }

    /// A signing request (PKCS #10, RFC 2986) for this key, without names or extensions: the server decides them all.
    ///
    /// - Throws: `signingFailed`.
    package func signingRequest() throws(DeviceIdentityError) -> SigningRequest {
        do {
            let request = try CertificateSigningRequest(
                version: .v1,
                subject: DistinguishedName(),
                privateKey: Certificate.PrivateKey(privateKey),
                attributes: CertificateSigningRequest.Attributes(),
                signatureAlgorithm: .ecdsaWithSHA256
            )
            return try SigningRequest(pem: request.serializeAsPEM().pemString)
        } catch {
            throw DeviceIdentityError(.signingFailed, "the signing request could not be made", cause: error)
        }
    }
}
