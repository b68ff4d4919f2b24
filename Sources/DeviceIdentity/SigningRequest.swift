package import Crypto
import SwiftASN1
import X509

/// A validated signing request (PKCS #10, RFC 2986): a P-256 key with proof of possession, and nothing else.
///
/// The subject that a device writes is ignored. Requests for powers or other names are refused, so that a mistake is
/// noticed instead of silently dropped.
package struct SigningRequest: Hashable, Sendable {
    /// The longest accepted request, in bytes of DER; one for P-256 without extensions has about 200.
    package static let maximumByteCount = 4096

    /// The request in DER.
    package let der: [UInt8]
    /// The key to certify.
    package let publicKey: P256.Signing.PublicKey

    /// The SHA-256 of the request in DER, which recognises a repeated request.
    package var fingerprint: Fingerprint { Fingerprint(hashing: der) }

    /// The SHA-256 of the key.
    package var keyFingerprint: Fingerprint { Fingerprint(hashing: publicKey.derRepresentation) }

    /// The request in PEM.
    package var pem: String {
        PEMDocument(type: CertificateSigningRequest.defaultPEMDiscriminator, derBytes: der).pemString
    }

    /// Validates a request in PEM: one block, surrounded only by white space.
    ///
    /// - Throws: as ``init(der:)``, and `requestMalformed` for text that is not one PEM block.
    package init(pem: String) throws(DeviceIdentityError) {
        guard pem.utf8.count <= 2 * Self.maximumByteCount else { throw Self.tooLarge(pem.utf8.count) }
        let document: PEMDocument
        do {
            document = try PEMDocument(pemString: pem)
        } catch {
            throw DeviceIdentityError(.requestMalformed, "this is not a signing request in PEM", cause: error)
        }
        guard Self.pemTypes.contains(document.discriminator), Self.isOneBlock(pem) else {
            throw DeviceIdentityError(.requestMalformed, "send one CERTIFICATE REQUEST block and nothing around it")
        }
        try self.init(der: document.derBytes)
    }

    /// Validates a request in DER.
    ///
    /// - Throws: `requestTooLarge`, `requestMalformed` (also for trailing bytes and for anything but strict DER),
    ///   `keyUnsupported` (only P-256), `requestForbidden` (an authority's powers, or any name),
    ///   `requestSignatureInvalid`.
    package init(der: [UInt8]) throws(DeviceIdentityError) {
        guard der.count <= Self.maximumByteCount else { throw Self.tooLarge(der.count) }
        let request = try Self.parsed(der)
        guard let publicKey = P256.Signing.PublicKey(request.publicKey) else {
            throw DeviceIdentityError(.keyUnsupported, "the key must be on the curve P-256 (prime256v1)")
        }
        try Self.refuseWishes(of: request)
        guard request.publicKey.isValidSignature(request.signature, for: request) else {
            throw DeviceIdentityError(.requestSignatureInvalid, "the request is not signed by the key it holds")
        }
        self.der = der
        self.publicKey = publicKey
    }

    /// Compares the bytes.
    package static func == (left: SigningRequest, right: SigningRequest) -> Bool { left.der == right.der }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }

    private static let pemTypes: Set<String> = ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"]

    private static func tooLarge(_ count: Int) -> DeviceIdentityError {
        DeviceIdentityError(.requestTooLarge, "a signing request has at most \(maximumByteCount) bytes, not \(count)")
    }

    private static func isOneBlock(_ pem: String) -> Bool {
        let lines = pem.split(whereSeparator: \.isNewline).filter { line in !line.allSatisfy(\.isWhitespace) }
        return lines.first?.hasPrefix("-----BEGIN ") == true && lines.last?.hasPrefix("-----END ") == true
            && lines.count { line in line.hasPrefix("-----") } == 2
    }

    private static func parsed(_ der: [UInt8]) throws(DeviceIdentityError) -> CertificateSigningRequest {
        do {
            let request = try CertificateSigningRequest(derEncoded: der)
            var serializer = DER.Serializer()
            try serializer.serialize(request)
            guard serializer.serializedBytes == der else {
                throw DeviceIdentityError(.requestMalformed, "the signing request is not in strict DER")
            }
            return request
        } catch let error as DeviceIdentityError {
            throw error
        } catch let error as CertificateError where error.code == .unsupportedPublicKeyAlgorithm {
            throw DeviceIdentityError(.keyUnsupported, "the key must be on the curve P-256 (prime256v1)", cause: error)
        } catch {
            throw DeviceIdentityError(.requestMalformed, "this is not a signing request in DER", cause: error)
        }
    }

    /// Refuses anything that only the server decides.
    private static func refuseWishes(of request: CertificateSigningRequest) throws(DeviceIdentityError) {
        do {
            guard let wishes = try request.attributes.extensionRequest?.extensions else { return }
            if case .isCertificateAuthority = try wishes.basicConstraints {
                throw DeviceIdentityError(.requestForbidden, "a device cannot be an authority (basicConstraints CA)")
            }
            guard try wishes.subjectAlternativeNames == nil else {
                throw DeviceIdentityError(.requestForbidden, "the server sets the names; leave subjectAltName out")
            }
            if let usage = try wishes.keyUsage, usage.keyCertSign || usage.cRLSign {
                throw DeviceIdentityError(.requestForbidden, "a device cannot sign certificates (keyUsage)")
            }
            guard try wishes.nameConstraints == nil else {
                throw DeviceIdentityError(.requestForbidden, "a device constrains no names; leave nameConstraints out")
            }
        } catch let error as DeviceIdentityError {
            throw error
        } catch {
            throw DeviceIdentityError(.requestMalformed, "the request's extensions cannot be read", cause: error)
        }
    }
}
