import X509

/// The authorities whose certificates a server accepts.
///
/// It verifies only chain and key. Expiry and revocation are judged per request: the endpoints that let an expired
/// device renew must still know who is calling.
package struct TrustedAuthorities: Sendable {
    private let intermediates: [IdentityCertificate]

    /// Trusts these issuing certificates; several while an authority is being replaced.
    package init(intermediates: [IdentityCertificate]) {
        self.intermediates = intermediates
    }

    /// The identity in a certificate, if one of the authorities issued it directly and for clients.
    ///
    /// - Throws: `certificateMalformed`, `certificateUntrusted`.
    package func identity(of certificate: IdentityCertificate) throws(DeviceIdentityError) -> Identity {
        let leaf = certificate.certificate
        let isIssued = intermediates.contains { issuer in
            issuer.certificate.subject == leaf.issuer
                && issuer.certificate.publicKey.isValidSignature(leaf.signature, for: leaf)
        }
        guard isIssued else {
            throw DeviceIdentityError(.certificateUntrusted, "no authority of this library issued the certificate")
        }
        guard let usage = try? leaf.extensions.extendedKeyUsage, usage.contains(.clientAuth),
            let identity = certificate.identity
        else {
            throw DeviceIdentityError(.certificateUntrusted, "the certificate names no device and no operator")
        }
        return identity
    }
}
