/// The kinds of faults of a cluster.
///
/// A new kind is a case here and a line in `Faults.strike`.
package enum ClusterFault: String, CaseIterable, Sendable {
    /// Servers are killed at random moments, or paused for longer than they may hold a lock.
    case servers
    /// Servers are killed when a device reaches a chosen stage of a save.
    case stages
    /// The server that holds the library's lock is paused for a minute.
    case writer
    /// PostgreSQL's primary is killed, for a moment or until the standby has taken over.
    case primary
    /// The store of originals is killed or paused for seconds.
    case store
    /// The store of originals is stopped for a minute.
    case storeMinute = "store-minute"
    /// One server is cut off from the database or the store.
    case links
    /// The store answers 500 and 503, in part, or not at all.
    case answers

    /// The faults of one lane come one after the other, those of different lanes beside each other.
    enum Lane: CaseIterable {
        case servers
        case stores
        case links
    }

    /// The kinds of a campaign for which none were chosen.
    package static let usual: [ClusterFault] = [.servers, .primary, .store]

    /// Parses names separated by commas.
    ///
    /// - Parameter names: for example `servers,store`.
    /// - Returns: the kinds; nil if a name is unknown.
    package static func list(_ names: String) -> [ClusterFault]? {
        let kinds = names.split(separator: ",", omittingEmptySubsequences: false).map {
            ClusterFault(rawValue: String($0))
        }
        return kinds.contains(nil) ? nil : kinds.compactMap(\.self)
    }

    var lane: Lane {
        switch self {
        case .servers, .stages, .writer: .servers
        case .primary, .store, .storeMinute: .stores
        case .links, .answers: .links
        }
    }

    /// How long its lane is left alone before it, in milliseconds.
    var calm: Range<Int> {
        switch self {
        // Waiting for the stage is enough.
        case .stages: 0..<1
        case .servers, .writer: 500..<3500
        case .primary, .store, .storeMinute, .links, .answers: 1000..<5000
        }
    }
}
