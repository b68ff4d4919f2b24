import ArgumentParser
import DeviceIdentity
import FoundationEssentials
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "receipt",
        "Verifies the server's receipts for durable assets.",
        examples: ["tintypectl receipt verify receipt.json --authority authority.json"],
        subcommands: [ReceiptVerify.self]
    )
}

struct ReceiptVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "verify",
        "Verifies a receipt's signature.",
        """
        With a file and --authority the server is not needed: the file is a receipt in JSON, the authority file \
        holds the keys that sign receipts, as returned by GET /v1/ca or kept by a box in identity/pinned.json. \
        With an asset's identifier the receipt comes from the server. Without --authority the keys do too, which \
        proves that nothing was damaged, but not who signed.
        """,
        examples: [
            "tintypectl receipt verify receipt.json --authority /var/lib/tintype-agent/identity/pinned.json",
            "tintypectl receipt verify 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
        ]
    )

    @Argument(help: "A file with a receipt in JSON, or an asset's identifier.")
    var receipt: String

    @Option(help: .value("path", "The file with the keys that sign receipts."))
    var authority: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let signed = try await signedReceipt()
        let keys = try await keys()
        let signature = ReceiptKeyID(signed.keyID).map {
            ReceiptSignature(keyID: $0, bytes: signed.signature.bytes)
        }
        guard let signature, keys.contains(where: { $0.isValid(signature, for: signed.receipt.canonicalBytes) }) else {
            let isKnown = keys.contains { $0.id.description == signed.keyID }
            throw AdminError(
                isKnown
                    ? "The signature does not match: the receipt was changed or damaged."
                    : "The authority has no key \(signed.keyID): another library signed the receipt.",
                next: "tintypectl receipt verify \(signed.receipt.assetID) asks the server for its receipt"
            )
        }
        try common.show(.receipt(signed, now: common.session.now()))
    }

    private func signedReceipt() async throws -> SignedReceipt {
        if let asset = AssetID(receipt) { return try await common.client().receipt(asset) }
        return try decode(receipt, as: SignedReceipt.self, "a receipt in JSON")
    }

    private func keys() async throws -> [ReceiptVerificationKey] {
        let known: [AuthorityResponse.ReceiptKey]
        if let authority {
            known = try decode(authority, as: PinnedKeys.self, "an authority with receiptKeys").receiptKeys
        } else {
            known = try await common.client().authority().receiptKeys
        }
        do {
            return try known.map { try ReceiptVerificationKey(der: $0.publicKey.bytes) }
        } catch {
            throw AdminError("A key of the authority cannot be read: \(error).", next: "fetch /v1/ca again")
        }
    }

    private func decode<Value: Decodable>(_ path: String, as type: Value.Type, _ what: String) throws -> Value {
        let bytes: [UInt8]
        do {
            bytes = try common.session.read(path)
        } catch {
            throw AdminError("\(path) cannot be read.", next: "name a file, or an asset from tintypectl asset list")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw AdminError("\(path) is not \(what).", next: "tintypectl receipt verify --help")
        }
    }
}

/// The required contents of an authority file.
private struct PinnedKeys: Decodable {
    let receiptKeys: [AuthorityResponse.ReceiptKey]
}

extension Report {
    /// A receipt with a valid signature.
    static func receipt(_ signed: SignedReceipt, now: WallTime) -> Report {
        let receipt = signed.receipt
        var fields = [
            Field("Signature", Cell("good", .good)),
            Field("Key", Cell(signed.keyID)),
            Field("Asset", Cell("\(receipt.assetID)")),
            Field("Device", Cell(receipt.deviceID?.description ?? "an operator")),
            Field("Library", Cell("\(receipt.libraryID)")),
            Field("Durable since", Cell("\(receipt.time) (\(Wording.relative(receipt.time, now: now)))")),
        ]
        fields += receipt.resources.map { resource in
            Field("File", Cell("SHA-256 \(resource.digest), \(Wording.byteCount(resource.byteCount))"))
        }
        return Report(wire: signed, identifiers: [receipt.assetID.description], content: .record(fields))
    }
}
