import Crypto
import DeviceIdentity
import PhotoModel
import SwiftASN1
import TestSupport
import Testing
import X509

struct SigningRequestTests {
    private static func request(
        key: Certificate.PrivateKey = .init(P256.Signing.PrivateKey()),
        algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA256,
        subject: DistinguishedName = DistinguishedName(),
        wishes: Certificate.Extensions? = nil
    ) throws -> [UInt8] {
        var attributes = CertificateSigningRequest.Attributes()
        if let wishes { attributes = try .init([.init(ExtensionRequest(extensions: wishes))]) }
        let request = try CertificateSigningRequest(
            version: .v1,
            subject: subject,
            privateKey: key,
            attributes: attributes,
            signatureAlgorithm: algorithm
        )
        var serializer = DER.Serializer()
        try serializer.serialize(request)
        return serializer.serializedBytes
    }

    @Test("A key's own request is accepted, and known by its fingerprint")
    func ownRequest() throws {
        let key = DeviceKey()
        let request = try key.signingRequest()
        #expect(request.keyFingerprint == key.fingerprint)
        #expect(try SigningRequest(der: request.der).fingerprint == request.fingerprint)
        #expect(try SigningRequest(pem: "\n" + request.pem + "\n\n") == request)
    }

    @Test("T4: the subject is ignored, whatever it claims")
    func subjectIsIgnored() throws {
        let name = try DistinguishedName {
            CommonName("urn:tintype:operator:root")
            OrganizationName("somebody else")
        }
        let request = try SigningRequest(der: Self.request(subject: name))
        let authority = try CertificateAuthority(rootKey: DeviceKey())
        let certificate = try authority.certificate(
            for: request,
            identity: .device(.init(rawValue: 7)),
            at: .init(microsecondsSince1970: 0)
        )
        #expect(certificate.identity == .device(.init(rawValue: 7)))
        #expect(!certificate.certificate.subject.description.contains("somebody"))
    }

    @Test("T4: keys of another type or curve are refused", arguments: ["P-384", "P-521", "Ed25519"])
    func foreignKeys(kind: String) throws {
        let der =
            switch kind {
            case "P-384":
                try Self.request(key: .init(P384.Signing.PrivateKey()), algorithm: .ecdsaWithSHA384)
            case "P-521":
                try Self.request(key: .init(P521.Signing.PrivateKey()), algorithm: .ecdsaWithSHA512)
            default:
                try Self.request(key: .init(Curve25519.Signing.PrivateKey()), algorithm: .ed25519)
            }
        expectFailure(.keyUnsupported) { try SigningRequest(der: der) }
    }

    @Test("T4: a request on a weak curve (secp224r1, made by OpenSSL) is refused")
    func weakCurve() throws {
        expectFailure(.keyUnsupported) {
            try SigningRequest(
                pem: """
                    -----BEGIN CERTIFICATE REQUEST-----
                    MIGyMGMCAQAwDDEKMAgGA1UEAwwBeDBOMBAGByqGSM49AgEGBSuBBAAhAzoABHSx
                    Lf//72GGRWUYbf+xA2fa1zgtGtDwg1zSBJ8JErPtav0FIe/9YRSNN78B3OgnLKpZ
                    3xG6YsQ8oAAwCgYIKoZIzj0EAwIDPwAwPAIcEWud1SC9zzjA4+++TD7Me2lOejuc
                    fja/PorU/gIcS/JYFQeqpgjH4gVYMWi0+22P8XlrBhzDEvl3VQ==
                    -----END CERTIFICATE REQUEST-----
                    """
            )
        }
    }

    @Test("T4: powers of an authority and names are refused, harmless wishes are dropped")
    func wishes() throws {
        let authority = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        }
        let signing = try Certificate.Extensions { KeyUsage(keyCertSign: true) }
        let name = try Certificate.Extensions { SubjectAlternativeNames([.dnsName("photos.example.net")]) }
        let device = try Certificate.Extensions {
            SubjectAlternativeNames([.uniformResourceIdentifier("urn:tintype:device:0")])
        }
        for wish in [authority, signing, name, device] {
            expectFailure(.requestForbidden) { try SigningRequest(der: Self.request(wishes: wish)) }
        }
        let harmless = try Certificate.Extensions {
            BasicConstraints.notCertificateAuthority
            KeyUsage(digitalSignature: true)
        }
        _ = try SigningRequest(der: Self.request(wishes: harmless))
    }

    @Test("T4: a megabyte, trailing bytes, a false signature and noise are refused")
    func brokenBytes() throws {
        let der = try Self.request()
        expectFailure(.requestTooLarge) { try SigningRequest(der: der + [UInt8](repeating: 0, count: 1 << 20)) }
        expectFailure(.requestTooLarge) { try SigningRequest(pem: String(repeating: "A", count: 1 << 20)) }
        expectFailure(.requestMalformed) { try SigningRequest(der: der + [0]) }
        expectFailure(.requestMalformed) { try SigningRequest(der: []) }
        var changed = der
        changed[changed.count - 3] ^= 1
        expectFailure(.requestSignatureInvalid) { try SigningRequest(der: changed) }
        let pem = try DeviceKey().signingRequest().pem
        expectFailure(.requestMalformed) { try SigningRequest(pem: "hello\n" + pem) }
        expectFailure(.requestMalformed) { try SigningRequest(pem: pem + "\n" + pem) }
        expectFailure(.requestMalformed) { try SigningRequest(pem: DeviceKey().pem) }
    }

    @Test("T4: no change of a request's bytes is accepted as another request, and none traps")
    func changedBytes() throws {
        let der = try Self.request()
        checkProperty("a changed request is refused", cases: 300) { generator, _ in
            var changed = der
            changed[Int.random(in: changed.indices, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            return (try? SigningRequest(der: changed)) == nil ? nil : "accepted"
        }
        checkProperty("noise is refused", cases: 300, maximumSize: 4096) { generator, size in
            let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return (try? SigningRequest(der: noise)) == nil ? nil : "accepted"
        }
    }
}

/// Expects a failure with this code.
func expectFailure(
    _ code: DeviceIdentityError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Any
) {
    let error = #expect(throws: DeviceIdentityError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}
