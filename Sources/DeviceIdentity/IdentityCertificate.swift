import Crypto
import Foundation
package import PhotoModel
import SwiftASN1
package import X509

/// The identity in a certificate.
///
/// It is a single URI in the subject alternative name (RFC 5280, section 4.2.1.6), and nowhere else: a certificate
/// holds no rights.
package enum Identity: Hashable, Sendable {
    /// A camera box.
    case device(DeviceID)
    /// A person who administers the library.
    case `operator`(OperatorName)

    private static let devicePrefix = "urn:tintype:device:"
    private static let operatorPrefix = "urn:tintype:operator:"

    /// The URI, for example `urn:tintype:device:0123456-…`.
    package var uri: String {
        switch self {
        case .device(let device): Self.devicePrefix + device.description
        case .operator(let name): Self.operatorPrefix + name.description
        }
    }

    /// Parses the URI; nil for anything else.
    package init?(uri: String) {
        if uri.hasPrefix(Self.devicePrefix), let device = DeviceID(String(uri.dropFirst(Self.devicePrefix.count))) {
            self = .device(device)
        } else if uri.hasPrefix(Self.operatorPrefix),
            let name = OperatorName(String(uri.dropFirst(Self.operatorPrefix.count)))
        {
            self = .operator(name)
        } else {
            return nil
        }
    }
}

/// An operator's name: 1 to 64 lower-case letters, digits, dots, dashes and underscores, beginning with a letter.
package struct OperatorName: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// The name.
    package let description: String

    /// Validates a name; nil for other characters or a wrong length.
    package init?(_ description: String) {
        let allowed = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
            }
        }
        guard 1...64 ~= description.utf8.count, description.utf8.allSatisfy(allowed),
            description.first?.isLetter == true
        else { return nil }
        self.description = description
    }
}

/// A certificate (RFC 5280) issued by the server's own authority, or the authority's own.
package struct IdentityCertificate: Hashable, Sendable {
    /// The longest accepted certificate, in bytes of DER; ours have about 600.
    package static let maximumByteCount = 8192

    /// The certificate.
    package let certificate: Certificate
    /// The certificate in DER.
    package let der: [UInt8]

    /// Wraps a newly issued certificate.
    ///
    /// - Throws: `certificateMalformed` if it cannot be encoded.
    init(_ certificate: Certificate) throws(DeviceIdentityError) {
        do {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            der = serializer.serializedBytes
            self.certificate = certificate
        } catch {
            throw DeviceIdentityError(.certificateMalformed, "the certificate cannot be written", cause: error)
        }
    }

    /// Reads a certificate in DER.
    ///
    /// - Throws: `certificateMalformed`, also for trailing bytes.
    package init(der: [UInt8]) throws(DeviceIdentityError) {
        guard der.count <= Self.maximumByteCount else {
            throw DeviceIdentityError(.certificateMalformed, "the certificate is too long")
        }
        do {
            certificate = try Certificate(derEncoded: der)
        } catch {
            throw DeviceIdentityError(.certificateMalformed, "this is not a certificate", cause: error)
        }
        self.der = der
    }

    /// Reads the first certificate of a PEM text.
    ///
    /// - Throws: `certificateMalformed`.
    package init(pem: String) throws(DeviceIdentityError) {
        guard let document = try Self.documents(inPEM: pem).first,
            document.discriminator == Certificate.defaultPEMDiscriminator
        else { throw DeviceIdentityError(.certificateMalformed, "there is no certificate in this PEM") }
        try self.init(der: document.derBytes)
    }

    /// Reads all certificates of a PEM text.
    ///
    /// - Throws: `certificateMalformed`.
    static func all(inPEM pem: String) throws(DeviceIdentityError) -> [IdentityCertificate] {
        var certificates: [IdentityCertificate] = []
        for document in try documents(inPEM: pem) { certificates.append(try Self(der: document.derBytes)) }
        return certificates
    }

    private static func documents(inPEM pem: String) throws(DeviceIdentityError) -> [PEMDocument] {
        do {
            return try PEMDocument.parseMultiple(pemString: pem)
        } catch {
            throw DeviceIdentityError(.certificateMalformed, "this is not a certificate in PEM", cause: error)
        }
    }

    /// The certificate in PEM, without a trailing line break.
    package var pem: String {
        PEMDocument(type: Certificate.defaultPEMDiscriminator, derBytes: der).pemString
    }

    /// The SHA-256 of the certificate; the authority's is what devices pin.
    package var fingerprint: Fingerprint { Fingerprint(hashing: der) }

    /// The SHA-256 of the certified key.
    package var keyFingerprint: Fingerprint {
        Fingerprint(hashing: P256.Signing.PublicKey(certificate.publicKey)?.derRepresentation ?? Data())
    }

    /// Whether the certified key made an ECDSA signature (DER) over these bytes with SHA-256.
    package func isValidSignature(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard let key = P256.Signing.PublicKey(certificate.publicKey),
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        return key.isValidSignature(parsed, for: bytes)
    }

    /// The start of the certificate's validity.
    package var notBefore: WallTime { WallTime(certificate.notValidBefore) }

    /// The end of the certificate's validity.
    package var notAfter: WallTime { WallTime(certificate.notValidAfter) }

    /// Its identity: its only alternative name, if it is one of ours; nil for an authority or a server.
    package var identity: Identity? {
        guard let names = try? certificate.extensions.subjectAlternativeNames, names.count == 1,
            case .uniformResourceIdentifier(let uri) = names.first
        else { return nil }
        return Identity(uri: uri)
    }

    /// The server's names and addresses; empty for a device or an authority.
    package var hosts: [HostAddress] {
        guard let names = try? certificate.extensions.subjectAlternativeNames else { return [] }
        return names.compactMap { name in
            switch name {
            case .dnsName(let text): HostAddress(text)
            case .ipAddress(let address): .address(Array(address.bytes))
            default: nil
            }
        }
    }

    /// Compares the bytes.
    package static func == (left: IdentityCertificate, right: IdentityCertificate) -> Bool { left.der == right.der }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension WallTime {
    init(_ date: Date) {
        let microseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) ?? .max
        self.init(microsecondsSince1970: microseconds)
    }

    var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1_000_000) }
}
