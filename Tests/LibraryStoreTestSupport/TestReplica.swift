package import LibraryAPI
import Persistence
package import PhotoModel
package import Replication

/// A replica on a device, as far as the store sees it.
package struct TestReplica {
    /// What it holds.
    package var state = ReplicaState()
    /// Who writes its changes.
    package var author: Author
    /// The ticket for its next contact.
    package var ticket: String?
    private var history: HistoryChain
    private let device: DeviceID

    private static let hash = HashFunction { hash($0) }

    private static func hash(_ bytes: [UInt8]) -> HashValue {
        guard let value = HashValue(ContentHasher.digest(bytes).bytes) else { preconditionFailure("32 bytes") }
        return value
    }

    /// A new replica.
    package init(_ id: UInt128, device: DeviceID, milliseconds: UInt64) {
        let replica = ReplicaID(rawValue: id)
        author = Author(incarnation: Incarnation(replica: replica), milliseconds: milliseconds)
        history = HistoryChain(of: replica, hash: Self.hash)
        self.device = device
    }

    /// What it says of itself when it calls.
    package func contact(boot: UInt128 = 1) -> Contact {
        Contact(
            device: device.rawValue,
            incarnation: author.replica,
            history: history,
            hostFingerprint: Self.hash([7] as [UInt8]),
            bootID: boot
        )
    }

    /// What it sends of the changes that it has made since the last push.
    package mutating func push(_ changes: [Change?]) throws -> ChangePush {
        ChangePush(
            incarnation: author.replica.description,
            priorHash: ContentDigest(bytes: history.hash.bytes),
            changes: try changes.compactMap(\.self).map { change in
                try history.append(change, hash: Self.hash)
                return .init(counter: change.dot.counter, delta: Base64Bytes(Delta(CollectionOfOne(change)).encoded))
            }
        )
    }
}
