import Authorization
import Crypto
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel

/// Converts between feed positions and tokens.
///
/// A token reveals nothing to its bearer, not even whether the library changed outside its view, and is valid for one
/// bearer: AES-GCM with a random nonce over epoch, view version, number, floor and departures (16 bytes and four times 8,
/// big-endian), with the bearer as associated data; base64 in the URL alphabet (RFC 4648, section 5).
struct ChangeTokenSeal: Sendable {
    /// Who may present a token.
    enum Bearer: Hashable, Sendable {
        /// One device.
        case device(DeviceID)
        /// Anybody who administers the library or views it in a browser.
        case operators

        fileprivate var data: Data {
            switch self {
            case .device(let id): Data(id.description.utf8)
            case .operators: Data("operators".utf8)
            }
        }
    }

    private static let byteCount = 48
    /// Tokens of earlier versions end with the floor.
    private static let earlierByteCount = 40

    private let key: SymmetricKey

    /// Seals with a key that outlives the process, since devices keep tokens.
    init(key: SymmetricKey) { self.key = key }

    /// The token of a position.
    ///
    /// - Throws: the cipher's error, independent of the position.
    func token(of position: ChangePosition, for bearer: Bearer) throws -> ChangeToken {
        let bytes =
            position.epoch.rawValue.bigEndianBytes + position.viewVersion.bigEndianBytes
            + position.number.rawValue.bigEndianBytes + position.floor.rawValue.bigEndianBytes
            + position.departures.rawValue.bigEndianBytes
        let box = try AES.GCM.seal(bytes, using: key, authenticating: bearer.data)
        let text = (box.nonce + box.ciphertext + box.tag).base64EncodedString()
        return ChangeToken(text: text.replacing("+", with: "-").replacing("/", with: "_"))
    }

    /// Opens a token; nil if this library did not issue it to the bearer.
    func position(_ token: ChangeToken, for bearer: Bearer) -> ChangePosition? {
        let text = token.text.replacing("-", with: "+").replacing("_", with: "/")
        guard text.utf8.count <= 128, let combined = Data(base64Encoded: text),
            let box = try? AES.GCM.SealedBox(combined: combined),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: bearer.data),
            bytes.count == Self.byteCount || bytes.count == Self.earlierByteCount
        else { return nil }
        return ChangePosition(
            epoch: LibraryEpoch(rawValue: .init(bigEndianBytes: bytes.prefix(16))),
            viewVersion: .init(bigEndianBytes: bytes.dropFirst(16).prefix(8)),
            number: ChangeNumber(rawValue: .init(bigEndianBytes: bytes.dropFirst(24).prefix(8))),
            floor: ChangeNumber(rawValue: .init(bigEndianBytes: bytes.dropFirst(32).prefix(8))),
            departures: ChangeNumber(rawValue: .init(bigEndianBytes: bytes.dropFirst(Self.earlierByteCount)))
        )
    }
}

extension AuthorizedCall {
    /// The bearer of a token, whatever the route.
    var tokenBearer: ChangeTokenSeal.Bearer { record.map { .device($0.device) } ?? .operators }
}
