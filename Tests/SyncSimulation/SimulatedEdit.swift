import Replication
import TestSupport

/// An edit as people make them: stars, keywords, and an album's members.
enum SimulatedEdit {
    case rate(UInt128, Int64)
    case tag(UInt128, String)
    case untag(UInt128, String)
    case place(UInt128)
    case takeOut(UInt128)

    private static let album: UInt128 = 1

    static func any(_ generator: inout SeededGenerator, _ truth: inout SimulatedTruth) -> Self {
        let asset = UInt128(generator.below(4))
        let word = generator.oneIn(2) ? "harbour" : "night"
        return switch generator.below(8) {
        case 0...2: .rate(asset, truth.nextRating())
        case 3: .tag(asset, word)
        case 4: .untag(asset, word)
        case 5: .place(asset)
        default: .takeOut(asset)
        }
    }

    /// Makes it on what is shown; an edit that would change nothing is none.
    func make(on shown: inout ReplicaState, by author: inout Author) -> [Change] {
        do {
            switch self {
            case .rate(let asset, let stars):
                return try shown.set(.integer(stars), field: AssetField.rating, of: .asset(asset), by: &author)
                    .map { [$0] } ?? []
            case .tag(let asset, let word):
                return [try shown.add(.text(word), to: AssetField.keyword, of: .asset(asset), by: &author)]
            case .untag(let asset, let word):
                return try shown.remove(.text(word), from: AssetField.keyword, of: .asset(asset), by: &author)
                    .map { [$0] } ?? []
            case .place(let asset):
                let position = try PositionKey.between(nil, nil, by: author.replica)
                return try shown.place(asset: asset, in: Self.album, at: position, by: &author)
            case .takeOut(let asset):
                return try shown.takeOut(asset: asset, of: Self.album, by: &author).map { [$0] } ?? []
            }
        } catch {
            return []
        }
    }
}
