import LibraryAPI
import Persistence
import PhotoModel
import Replication

/// A replica on a device, as far as the store sees it.
struct TestReplica {
    var state = ReplicaState()
    var author: Author
    var history: HistoryChain
    var ticket: String?
    let device: DeviceID

    static let hash = HashFunction { hash($0) }

    static func hash(_ bytes: [UInt8]) -> HashValue {
        guard let value = HashValue(ContentHasher.digest(bytes).bytes) else { preconditionFailure("32 bytes") }
        return value
    }

    init(_ id: UInt128, device: DeviceID, milliseconds: UInt64) {
        let replica = ReplicaID(rawValue: id)
        author = Author(incarnation: Incarnation(replica: replica), milliseconds: milliseconds)
        history = HistoryChain(of: replica, hash: Self.hash)
        self.device = device
    }

    func contact(boot: UInt128 = 1) -> Contact {
        Contact(
            device: device.rawValue,
            incarnation: author.replica,
            history: history,
            hostFingerprint: Self.hash([7] as [UInt8]),
            bootID: boot
        )
    }

    mutating func push(_ changes: [Change?]) throws -> ChangePush {
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
