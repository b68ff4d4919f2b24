import DeviceIdentity
import PhotoModel
import TestSupport
import Testing

struct TextFormTests {
    @Test("Fingerprints are read as OpenSSL prints them and as we do")
    func fingerprints() {
        let fingerprint = Fingerprint(hashing: [1, 2, 3])
        #expect(fingerprint.description == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
        let colons = fingerprint.bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16).uppercased()
        }.joined(separator: ":")
        #expect(Fingerprint(colons) == fingerprint)
        #expect(Fingerprint(fingerprint.description) == fingerprint)
    }

    @Test(
        "Texts that are no fingerprint are refused",
        arguments: ["", "00", String(repeating: "0", count: 63) + "g", String(repeating: "+1", count: 32)]
    )
    func badFingerprints(text: String) {
        #expect(Fingerprint(text) == nil)
    }

    @Test("Tokens survive their text form, and other texts are refused")
    func tokens() {
        checkProperty("a token is read back") { generator, _ in
            let token = EnrollmentToken(authority: Fingerprint(hashing: [9]), using: &generator)
            return EnrollmentToken(token.description) == token ? nil : token.description
        }
        var generator = SeededGenerator(seed: 1)
        let text = EnrollmentToken(authority: Fingerprint(hashing: [9]), using: &generator).description
        for broken in [
            "", "TT1", text + "0", "TT2" + text.dropFirst(3), String(text.dropLast()), text + ".",
            text.dropLast(32) + "+" + String(repeating: "1", count: 31),
        ] {
            #expect(EnrollmentToken(broken) == nil, "\(broken)")
        }
    }

    @Test(
        "Hosts are names or addresses",
        arguments: [
            ("LocalHost", "localhost"), ("10.0.0.7", "10.0.0.7"), ("::1", "::1"), ("a-b.c", "a-b.c"),
            ("a b", nil), ("", nil), ("a..b", nil), ("*.example.net", nil), ("https://x", nil),
        ]
    )
    func hosts(text: String, expected: String?) {
        #expect(HostAddress(text)?.description == expected)
    }

    @Test("Identities are URIs of ours, and nothing else")
    func identities() throws {
        let device = Identity.device(DeviceID(rawValue: 3))
        #expect(Identity(uri: device.uri) == device)
        let anna = try #require(OperatorName("anna.k"))
        #expect(Identity(uri: Identity.operator(anna).uri) == .operator(anna))
        for text in ["", "urn:tintype:device:", "urn:tintype:device:7", "urn:tintype:operator:", "urn:other:x"] {
            #expect(Identity(uri: text) == nil, "\(text)")
        }
        for name in ["", "Anna", "9a", "a b", "a/b", String(repeating: "a", count: 65), "ä"] {
            #expect(OperatorName(name) == nil, "\(name)")
        }
    }

    @Test("A receipt's signature verifies offline with the right key over the right bytes only")
    func receipts() throws {
        let key = ReceiptKey(DeviceKey())
        let signature = try key.signature(for: Array("receipt".utf8))
        let verification = try ReceiptVerificationKey(der: key.verificationKey.der)
        #expect(verification.isValid(signature, for: Array("receipt".utf8)))
        #expect(!verification.isValid(signature, for: Array("receipT".utf8)))
        #expect(!ReceiptKey(DeviceKey()).verificationKey.isValid(signature, for: Array("receipt".utf8)))
        let renamed = ReceiptSignature(
            keyID: ReceiptKey(DeviceKey()).verificationKey.id,
            bytes: signature.bytes
        )
        #expect(!verification.isValid(renamed, for: Array("receipt".utf8)))
        let broken = ReceiptSignature(keyID: signature.keyID, bytes: [1, 2, 3])
        #expect(!verification.isValid(broken, for: Array("receipt".utf8)))
        #expect(ReceiptKeyID(signature.keyID.description) == signature.keyID)
    }
}
