import Crypto
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel

/// Makes positions in the feed into tokens, and tokens into positions.
///
/// A token tells its bearer nothing, not even whether the library changed outside its view, and is good for one device:
/// AES-GCM with a random nonce over epoch, view version, number and floor (16, 8, 8 and 8 bytes, most significant first),
/// with the device as associated data; base64 of the alphabet for URLs (RFC 4648, section 5).
struct ChangeTokenSeal: Sendable {
    private static let byteCount = 40

    private let key: SymmetricKey

    /// Seals with a key that outlives the process: tokens are kept by devices.
    init(key: SymmetricKey) {
        self.key = key
    }

    /// The token of a position.
    ///
    /// - Throws: what the cipher says; nothing of the position's making.
    func token(of position: ChangePosition, for viewer: ChangeViewer) throws -> ChangeToken {
        let bytes =
            bigEndian(position.epoch.rawValue) + bigEndian(position.viewVersion) + bigEndian(position.number.rawValue)
            + bigEndian(position.floor.rawValue)
        let box = try AES.GCM.seal(bytes, using: key, authenticating: viewer.sealed)
        let text = (box.nonce + box.ciphertext + box.tag).base64EncodedString()
        return ChangeToken(text: text.replacing("+", with: "-").replacing("/", with: "_"))
    }

    /// Reads a token; nil for one that this library did not make for the viewer.
    func position(_ token: ChangeToken, for viewer: ChangeViewer) -> ChangePosition? {
        let text = token.text.replacing("-", with: "+").replacing("_", with: "/")
        guard text.utf8.count <= 128, let combined = Data(base64Encoded: text),
            let box = try? AES.GCM.SealedBox(combined: combined),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: viewer.sealed),
            bytes.count == Self.byteCount
        else { return nil }
        return ChangePosition(
            epoch: LibraryEpoch(rawValue: integer(bytes.prefix(16))),
            viewVersion: integer(bytes.dropFirst(16).prefix(8)),
            number: ChangeNumber(rawValue: integer(bytes.dropFirst(24).prefix(8))),
            floor: ChangeNumber(rawValue: integer(bytes.dropFirst(32)))
        )
    }

    private func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> Data {
        Data((0..<Value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }

    private func integer<Value: FixedWidthInteger>(_ bytes: Data) -> Value {
        bytes.reduce(0) { $0 << 8 | Value($1) }
    }
}

extension ChangeViewer {
    /// Whose tokens are no others': a limited device's own; whoever sees everything sees the same.
    fileprivate var sealed: Data {
        switch self {
        case .everything: Data("everything".utf8)
        case .limited(let device, _, _): Data(device.description.utf8)
        }
    }
}
