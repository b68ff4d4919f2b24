import Authorization
import Crypto
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel

/// Makes positions in the feed into tokens, and tokens into positions.
///
/// A token tells its bearer nothing, not even whether the library changed outside its view, and is good for one bearer:
/// AES-GCM with a random nonce over epoch, view version, number and floor (16, 8, 8 and 8 bytes, most significant first),
/// with the bearer as associated data; base64 of the alphabet for URLs (RFC 4648, section 5).
struct ChangeTokenSeal: Sendable {
    /// Who may show a token.
    enum Bearer: Hashable, Sendable {
        /// One device.
        case device(DeviceID)
        /// Whoever administers the library or looks at it in a browser.
        case operators

        fileprivate var data: Data {
            switch self {
            case .device(let id): Data(id.description.utf8)
            case .operators: Data("operators".utf8)
            }
        }
    }

    private static let byteCount = 40

    private let key: SymmetricKey

    /// Seals with a key that outlives the process: tokens are kept by devices.
    init(key: SymmetricKey) {
        self.key = key
    }

    /// The token of a position.
    ///
    /// - Throws: what the cipher says; nothing of the position's making.
    func token(of position: ChangePosition, for bearer: Bearer) throws -> ChangeToken {
        let bytes =
            bigEndian(position.epoch.rawValue) + bigEndian(position.viewVersion) + bigEndian(position.number.rawValue)
            + bigEndian(position.floor.rawValue)
        let box = try AES.GCM.seal(bytes, using: key, authenticating: bearer.data)
        let text = (box.nonce + box.ciphertext + box.tag).base64EncodedString()
        return ChangeToken(text: text.replacing("+", with: "-").replacing("/", with: "_"))
    }

    /// Reads a token; nil for one that this library did not make for the bearer.
    func position(_ token: ChangeToken, for bearer: Bearer) -> ChangePosition? {
        let text = token.text.replacing("-", with: "+").replacing("_", with: "/")
        guard text.utf8.count <= 128, let combined = Data(base64Encoded: text),
            let box = try? AES.GCM.SealedBox(combined: combined),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: bearer.data),
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

extension AuthorizedCall {
    /// Whose token it is, by whatever route it is shown.
    var tokenBearer: ChangeTokenSeal.Bearer { record.map { .device($0.device) } ?? .operators }
}
