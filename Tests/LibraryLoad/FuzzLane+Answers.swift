import Foundation
import LibraryAPI
import LibraryClient
import TestSupport

/// What answers tell a lane.
extension FuzzLane {
    private static let enrollmentToken = "enrollmentToken"
    private static let pickURI = "pickURI"

    /// What an identifier at the top of an answer names.
    private static func named(by target: String) -> String {
        let words = target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        return words.last { Self.kind(of: $0) != $0 }.map(kind) ?? "id"
    }

    /// What a path's part names.
    static func kind(of word: String, in path: String) -> String {
        let kind = kind(of: word)
        let isPick = kind == "session" && ["/v1/picks/", "/v1/picker/"].contains(where: path.hasPrefix)
        return isPick ? FuzzedNames.pick : kind
    }

    /// What a member or a path's part names.
    private static func kind(of word: String) -> String {
        switch word {
        case "assets", "assetID", "asset": "asset"
        case "albums", "albumID", "album": "album"
        case "uploads", "upload": "upload"
        case "resources", "resource": "resource"
        case "picker", "sessions", "session": "session"
        case "devices", "deviceID", "device", "selections": "device"
        case "items", "item": "item"
        case "archives": "archive"
        case "enrollments": "enrollment"
        case "enrollment-tokens": enrollmentToken
        default: word
        }
    }

    /// Learns names; a watched caller's answers are also anybody else's to use, but not the other way round.
    mutating func learn(from answer: TransportResponse, to target: String, by index: Int) {
        guard answer.status < 300, answer.body.count < 1 << 20 else { return }
        for line in answer.body.split(separator: UInt8(ascii: "\n")).prefix(50) {
            guard let value = try? JSONDecoder().decode(FuzzedJSON.self, from: Data(line)) else { continue }
            let kind = Self.named(by: target)
            if callers[index].isWatched { Self.learn(from: value, as: kind) { Self.teach($0, $1, to: &told) } }
            Self.learn(from: value, as: kind) { kind, text in
                if !journal.secrets.isSealed(text) { Self.teach(kind, text, to: &names) }
            }
        }
    }

    private static func teach(_ kind: String, _ text: String, to book: inout FuzzedNames) {
        if kind == pickURI { book.learn(pickURI: text) } else { book.learn(kind, text) }
    }

    private static func learn(from value: FuzzedJSON, as kind: String, _ learn: (String, String) -> Void) {
        switch value {
        case .string(let text):
            if text.utf8.count < 500, !text.isEmpty { learn(kind, text) }
        case .array(let items): for item in items.prefix(50) { Self.learn(from: item, as: kind, learn) }
        case .object(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                let isOwnName = key == "id" || kind == enrollmentToken && key == "token"
                Self.learn(from: member, as: isOwnName ? kind : Self.kind(of: key), learn)
            }
        case .null, .bool, .number: break
        }
    }
}
