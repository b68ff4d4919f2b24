import BoxIdentity
import DeviceIdentity
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

/// Answers of a library about a box's identity that an honest one never gives.
struct IdentityAnswerTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "tt-answers-\(UUID().uuidString)").path

    private var box: IdentityFolder {
        IdentityFolder(in: Path(root), seal: SecretSeal(program: "/nowhere/creds", device: "/nowhere/tpm"))
    }

    @Test("T148: what is no certificate of the box's key, or too long to be read again, does not replace a good one")
    func certificates() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let authority = try CertificateAuthority(rootKey: DeviceKey())
        let id = DeviceID(rawValue: 0xABCD)
        func certificate(for key: DeviceKey) throws -> String {
            let now = WallTime(microsecondsSince1970: 1_790_000_000_000_000)
            return try authority.certificate(for: key.signingRequest(), identity: .device(id), at: now).pem
        }
        let good = try certificate(for: DeviceKey(pem: box.key()))
        try box.setDevice(.init(id: id, certificateChain: good))
        let long = good + String(repeating: "\n", count: 2 << 20)
        for chain in ["", "no certificate", long, try certificate(for: DeviceKey())] {
            #expect(throws: DeviceIdentityError.self) { try box.replaceCertificates(chain) }
            #expect(throws: DeviceIdentityError.self) { try box.setDevice(.init(id: id, certificateChain: chain)) }
            #expect(try box.device()?.certificateChain == good)
        }
        let renewed = try certificate(for: DeviceKey(pem: box.key()))
        try box.replaceCertificates(renewed)
        #expect(try box.device()?.certificateChain == renewed)
    }

    @Test("T148: an authority that is none is not pinned, and no more receipt keys than can be read again")
    func authorities() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let good = try CertificateAuthority(rootKey: DeviceKey()).root.pem
        try box.setPinned(.init(url: "https://library", authority: good, receiptKeys: []))
        for text in ["", "no certificate", good + String(repeating: "\n", count: 2 << 20)] {
            #expect(throws: DeviceIdentityError.self) {
                try box.learn(AuthorityResponse(certificates: text, receiptKeys: []))
            }
            #expect(throws: DeviceIdentityError.self) {
                try box.setPinned(.init(url: "https://library", authority: text, receiptKeys: []))
            }
        }
        let keys = (0..<100).map { _ in
            let key = ReceiptKey(DeviceKey()).verificationKey
            return AuthorityResponse.ReceiptKey(id: "\(key.id)", publicKey: key.der)
        }
        let long = AuthorityResponse.ReceiptKey(id: String(repeating: "a", count: 2 << 20), publicKey: [1])
        try box.setPinned(.init(url: "https://library", authority: good, receiptKeys: [long] + keys.dropLast()))
        #expect(try box.pinned()?.receiptKeys == Array(keys.dropLast().suffix(64)))
        try box.learn(AuthorityResponse(certificates: good, receiptKeys: keys + [long]))
        #expect(try box.pinned()?.receiptKeys == Array(keys.suffix(64)))
        #expect(try box.pinned()?.authority == good)
    }

    @Test("A receipt is genuine if a pinned key signed exactly its bytes, under that key's name")
    func receipts() throws {
        let keys = (0..<3).map { _ in ReceiptKey(DeviceKey()) }
        let known = keys.dropLast().map { key in
            AuthorityResponse.ReceiptKey(id: "\(key.verificationKey.id)", publicKey: key.verificationKey.der)
        }
        let damaged = AuthorityResponse.ReceiptKey(id: "0123456789abcdef", publicKey: [1])
        let isGenuine = IdentityFolder.Pinned(url: "https://library", authority: "", receiptKeys: [damaged] + known)
            .receiptVerifier()
        // The receipt of change 1, signed by a key that gives itself the name of one.
        func receipt(by key: ReceiptKey, as name: ReceiptKey, changedTo number: Int64 = 1) throws -> SignedReceipt {
            let signature = try key.signature(for: Self.receipt(1).canonicalBytes)
            return SignedReceipt(
                receipt: Self.receipt(number),
                keyID: "\(name.verificationKey.id)",
                signature: signature.bytes
            )
        }
        for key in keys.dropLast() { #expect(try isGenuine(receipt(by: key, as: key))) }
        #expect(try !isGenuine(receipt(by: keys[0], as: keys[0], changedTo: 2)))
        #expect(try !isGenuine(receipt(by: keys[0], as: keys[1])))
        #expect(try !isGenuine(receipt(by: keys[2], as: keys[2])))
        #expect(!isGenuine(SignedReceipt(receipt: Self.receipt(1), keyID: damaged.id, signature: [1])))
        #expect(!isGenuine(SignedReceipt(receipt: Self.receipt(1), keyID: "no key", signature: [])))
    }

    private static func receipt(_ number: Int64) -> Receipt {
        Receipt(
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: 2),
            deviceID: DeviceID(rawValue: 3),
            assetID: AssetID(rawValue: 4),
            changeNumber: ChangeNumber(rawValue: number),
            time: WallTime(microsecondsSince1970: 5),
            resources: []
        )
    }
}
