import LibraryAPI
import PhotoModel
import SyncEngine

// What happened, in numbers that do not depend on how anything lies in memory.

extension SyncAction {
    /// The kind, and what it is about.
    var fingerprint: [UInt64] {
        let (kind, subject): (UInt64, UInt128) =
            switch self {
            case .load: (1, 0)
            case .contact: (2, 0)
            case .authorize: (3, 0)
            case .request: (4, 0)
            case .batch(let ids): (5, ids.reduce(0) { $0 ^ $1.rawValue })
            case .describe(let id): (6, id.rawValue)
            case .position(let id, _): (7, id.rawValue)
            case .append(let append): (8, append.assetID.rawValue &+ UInt128(append.offset))
            case .commit(let id): (9, id.rawValue)
            case .push: (10, 0)
            case .pull: (11, 0)
            case .hold(let ids, _): (12, ids.reduce(0) { $0 ^ $1.rawValue })
            case .release(let ids): (13, ids.reduce(0) { $0 ^ $1.rawValue })
            case .reject(let id, _): (14, id.rawValue)
            case .awaitDecision: (15, 0)
            case .compare: (16, 0)
            }
        return [kind, UInt64(truncatingIfNeeded: subject)]
    }
}

extension SyncEvent {
    /// What became of an action.
    var fingerprint: UInt64 {
        switch self {
        case .failed(_, .refused(let problem)): 1000 + UInt64(problem.status)
        case .failed: 1
        case .batched(_, let committed, let refused): 10 + UInt64(committed.count) << 8 + UInt64(refused.count)
        case .positioned(_, _, let offset, _): UInt64(offset)
        default: 2
        }
    }
}
