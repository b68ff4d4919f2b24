import Foundation
import PhotoModel
import TestSupport

/// Names that answers told, by what they name; the newest replace the oldest.
struct FuzzedNames {
    /// Names a picker session that a person can open.
    static let pick = "pick"

    private var values: [String: [String]] = [:]
    private var pickSecrets: [String: String] = [:]

    mutating func learn(_ kind: String, _ value: String) {
        var known = values[kind, default: []]
        guard !known.contains(value) else { return }
        known.append(value)
        // Only so many sessions are open at once.
        values[kind] = known.suffix(kind == Self.pick ? 12 : 200)
    }

    /// Learns a session and its secret from the address where a person chooses.
    mutating func learn(pickURI: String) {
        let parts = pickURI.split(separator: "#").map(String.init)
        guard parts.count == 2, let session = parts[0].split(separator: "/").last.map(String.init) else { return }
        learn(Self.pick, session)
        pickSecrets[session] = parts[1]
        let sessions = values[Self.pick, default: []]
        pickSecrets = pickSecrets.filter { sessions.contains($0.key) }
    }

    /// The secret for a path below `/v1/picks/`; now and then that of another session.
    func secret(for path: String, _ generator: inout SeededGenerator) -> String? {
        let segments = path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        guard segments.count > 2, segments[1] == "picks" else { return nil }
        return generator.oneIn(30) ? pickSecrets.min { $0.key < $1.key }?.value : pickSecrets[segments[2]]
    }

    /// A known name, or now and then one that means something else, or nothing.
    func name(_ kind: String, _ generator: inout SeededGenerator) -> String {
        if kind == "time" {
            return WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)).description
        }
        if kind == "new" {
            return AssetID(rawValue: UInt128(generator.next()) << 64 | UInt128(generator.next())).description
        }
        if generator.oneIn(30) {
            return generator.pick(FuzzedJSON.texts.filter { !$0.isEmpty && $0.utf8.count < 2000 })
        }
        if let known = values[kind], !known.isEmpty {
            // The newest of several kinds often belong together.
            return generator.pick(generator.oneIn(2) ? known.suffix(3) : known[...])
        }
        return AssetID(rawValue: UInt128(generator.next())).description
    }

    func identifiers(_ kinds: [String]) -> [UInt128] {
        kinds.flatMap { values[$0] ?? [] }.compactMap { AssetID($0)?.rawValue }
    }
}
