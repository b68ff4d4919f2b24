import LibraryClient
import PhotoModel
import Synchronization

/// What watched callers may never be told, in each form in which an answer could tell it.
///
/// No request of theirs ever contains any of it, so that no answer can be an echo.
final class FuzzSecrets: Sendable {
    private struct Form {
        let bytes: [UInt8]
        let what: String
    }

    private struct State {
        /// By their first eight bytes, so that one pass over an answer finds any of them.
        var forms: [UInt64: [Form]] = [:]
        var sealed: Set<String> = []
    }

    private static let searchedByteCount = 256 << 10
    private let state = Mutex(State())

    /// Hides an identifier.
    func hide(_ id: some UniqueIdentifier, _ what: String) { hide(id.bytes, "\(what) \(id)") }

    /// Hides resources, their digests, and the identifiers that imports would derive from these.
    func hide(_ resources: [AssetResource], of owner: String) {
        for resource in resources {
            let derived = AssetID.derived(from: resource.digest)
            hide(resource.id, "a resource of \(owner):")
            hide(derived, "the identifier derived from \(owner):")
            hide(Array(resource.digest.bytes.prefix(16)), "a digest of \(owner): \(resource.digest)")
        }
    }

    /// Keeps a name from whoever makes requests up: only its owner uses it.
    func seal(_ name: String) { state.withLock { _ = $0.sealed.insert(name) } }

    /// Whether a name is kept from whoever makes requests up.
    func isSealed(_ name: String) -> Bool { state.withLock { $0.sealed.contains(name) } }

    /// What an answer tells of the hidden; nil for nothing.
    func leak(in answer: TransportResponse) -> String? {
        let head = answer.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        return leak(in: Array(head.utf8)) ?? leak(in: answer.body)
    }

    /// What bytes tell of the hidden; nil for nothing.
    func leak(in bytes: [UInt8]) -> String? {
        let forms = state.withLock(\.forms)
        var window: UInt64 = 0
        for (index, byte) in bytes.prefix(Self.searchedByteCount).enumerated() {
            window = window << 8 | UInt64(byte)
            guard index >= 7, let candidates = forms[window] else { continue }
            let rest = bytes[(index - 7)...]
            if let found = candidates.first(where: { rest.starts(with: $0.bytes) }) { return found.what }
        }
        return nil
    }

    private func hide(_ bytes: [UInt8], _ what: String) {
        let forms = Self.forms(of: bytes)
        state.withLock { state in
            for form in forms {
                let start = form.prefix(8).reduce(0) { UInt64($0) << 8 | UInt64($1) }
                state.forms[start, default: []].append(Form(bytes: form, what: what))
            }
        }
    }

    /// 16 bytes as a UUID, in hexadecimal, in base 64 anywhere in a longer text, and as they are.
    ///
    /// The first 16 of a digest stand for all of it.
    private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
        let hexadecimal = HexadecimalText.text(bytes)
        let uuid = AssetID(bytes: bytes)?.description ?? hexadecimal
        var texts: Set<String> = [uuid, uuid.uppercased(), hexadecimal, hexadecimal.uppercased()]
        for before in 0..<3 {
            // Only the characters in which the bytes before and after have no part.
            let text = Base64.encode(Array(repeating: 0, count: before) + bytes)
            let middle = String(text.prefix((before + 16) * 8 / 6).dropFirst((before * 8 + 5) / 6))
            texts.insert(middle)
            texts.insert(middle.replacing("/", with: "\\/"))
            texts.insert(middle.replacing("+", with: "-").replacing("/", with: "_"))
        }
        return [bytes] + texts.map { Array($0.utf8) }
    }
}
