import Crypto
import Foundation
package import PhotoModel
import SwiftASN1
import X509

/// The server's own authority: a root that devices pin, and an intermediate for daily signing.
///
/// The root's key is needed only to create the next intermediate, so it may be kept offline. Authorities and servers
/// are valid from 1970 to 9999 (RFC 5280, section 4.1.2.5): a box with a wrong clock must still be able to connect, and
/// trust rests on the pinned fingerprint, not on the date. Devices get 90 days, judged by the server's clock.
package struct CertificateAuthority: Sendable {
    /// How long a device's or operator's certificate is valid.
    package static let identityLifetime = Duration.seconds(90 * 86_400)

    /// How far a certificate's start is backdated to tolerate clock differences.
    private static let clockTolerance = Duration.seconds(-300)

    /// The certificate that devices pin.
    package let root: IdentityCertificate
    /// The signing certificate; servers and devices send it along with their own.
    package let intermediate: IdentityCertificate
    private let intermediateKey: DeviceKey

    /// Assembles an authority without its root key, as the server does at start.
    ///
    /// - Throws: `certificateUntrusted` if the parts do not match.
    package init(
        root: IdentityCertificate,
        intermediate: IdentityCertificate,
        intermediateKey: DeviceKey
    ) throws(DeviceIdentityError) {
        guard intermediate.keyFingerprint == intermediateKey.fingerprint,
            root.certificate.publicKey.isValidSignature(
                intermediate.certificate.signature,
                for: intermediate.certificate
            )
        else {
            throw DeviceIdentityError(.certificateUntrusted, "root, intermediate and its key do not belong together")
        }
        self.root = root
        self.intermediate = intermediate
        self.intermediateKey = intermediateKey
    }

    /// Creates a new authority for a library; keep the root's key where few can read it.
    ///
    /// - Throws: `signingFailed`.
    package init(rootKey: DeviceKey) throws(DeviceIdentityError) {
        try self.init(root: Self.makeRoot(rootKey), rootKey: rootKey)
    }

    /// Creates a root that has signed nothing yet.
    ///
    /// - Throws: `signingFailed`.
    static func makeRoot(_ rootKey: DeviceKey) throws(DeviceIdentityError) -> IdentityCertificate {
        let rootName = try Self.name("\(Self.name(of: rootKey)) root")
        return try Self.certificate(
            for: rootKey.privateKey.publicKey,
            named: rootName,
            by: (rootName, rootKey),
            valid: Self.always
        ) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 1))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }
    }

    /// Creates a new intermediate under a root that devices already pin.
    ///
    /// - Throws: `certificateUntrusted` if the key is not the root's, `signingFailed`.
    package init(root: IdentityCertificate, rootKey: DeviceKey) throws(DeviceIdentityError) {
        guard root.keyFingerprint == rootKey.fingerprint else {
            throw DeviceIdentityError(.certificateUntrusted, "the key is not the root's")
        }
        let intermediateKey = DeviceKey()
        let number = intermediateKey.fingerprint.description.prefix(8)
        let intermediate = try Self.certificate(
            for: intermediateKey.privateKey.publicKey,
            named: Self.name("\(Self.name(of: rootKey)) intermediate \(number)"),
            by: (root.certificate.subject, rootKey),
            valid: Self.always
        ) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }
        try self.init(root: root, intermediate: intermediate, intermediateKey: intermediateKey)
    }

    /// The intermediate's key in PEM, to be stored in a secret file.
    package var intermediateKeyPEM: String { intermediateKey.pem }

    /// Issues a certificate for a device: its identifier, its key, and no rights.
    ///
    /// - Throws: `signingFailed`.
    package func certificate(
        for request: SigningRequest,
        identity: Identity,
        at now: WallTime,
        lifetime: Duration = identityLifetime
    ) throws(DeviceIdentityError) -> IdentityCertificate {
        let commonName =
            switch identity {
            case .device(let device): device.description
            case .operator(let name): name.description
            }
        return try Self.certificate(
            for: request.publicKey,
            named: Self.name(commonName),
            by: (intermediate.certificate.subject, intermediateKey),
            valid: now.advanced(by: Self.clockTolerance)...now.advanced(by: lifetime)
        ) {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.clientAuth])
            Critical(SubjectAlternativeNames([.uniformResourceIdentifier(identity.uri)]))
        }
    }

    /// Issues a server certificate for the names by which devices reach it.
    ///
    /// - Throws: `signingFailed`.
    package func serverCertificate(
        for key: DeviceKey,
        hosts: [HostAddress]
    ) throws(DeviceIdentityError) -> IdentityCertificate {
        let names = hosts.map { host -> GeneralName in
            switch host {
            case .name(let name): .dnsName(name)
            case .address(let bytes): .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
            }
        }
        return try Self.certificate(
            for: key.privateKey.publicKey,
            named: Self.name("Tintype server"),
            by: (intermediate.certificate.subject, intermediateKey),
            valid: Self.always
        ) {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(names)
        }
    }

    /// A certificate's text with that of the intermediate that signed it, as servers and devices send them.
    package func chain(of certificate: IdentityCertificate) -> String {
        certificate.pem + "\n" + intermediate.pem + "\n"
    }

    private static func name(of rootKey: DeviceKey) -> String {
        "Tintype \(rootKey.fingerprint.description.prefix(8))"
    }

    private static let always =
        WallTime(microsecondsSince1970: 0)...WallTime(microsecondsSince1970: 253_402_300_799_000_000)

    private static func name(_ text: String) throws(DeviceIdentityError) -> DistinguishedName {
        do {
            return try DistinguishedName { CommonName(text) }
        } catch {
            throw DeviceIdentityError(
                .signingFailed,
                "this cannot be a certificate's name",
                subject: text,
                cause: error
            )
        }
    }

    private static func certificate(
        for key: P256.Signing.PublicKey,
        named subject: DistinguishedName,
        by issuer: (name: DistinguishedName, key: DeviceKey),
        valid: ClosedRange<WallTime>,
        @ExtensionsBuilder extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws(DeviceIdentityError) -> IdentityCertificate {
        let certificate: Certificate
        do {
            var all = try extensions().get()
            try all.append(
                Certificate.Extension(SubjectKeyIdentifier(hash: Certificate.PublicKey(key)), critical: false)
            )
            let issuerKey = Certificate.PublicKey(issuer.key.privateKey.publicKey)
            try all.append(
                Certificate.Extension(
                    AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuerKey).keyIdentifier),
                    critical: false
                )
            )
            certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key),
                notValidBefore: valid.lowerBound.date,
                notValidAfter: valid.upperBound.date,
                issuer: issuer.name,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: all,
                issuerPrivateKey: Certificate.PrivateKey(issuer.key.privateKey)
            )
        } catch {
            throw DeviceIdentityError(.signingFailed, "the certificate could not be issued", cause: error)
        }
        return try IdentityCertificate(certificate)
    }
}
