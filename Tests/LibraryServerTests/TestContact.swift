import LibraryAPI
import Persistence
import PhotoModel
import Replication
import Testing

extension ContactRequest {
    /// What a box says at a contact that has changed nothing yet.
    static func ofFreshBox(
        _ incarnation: String = String(repeating: "a1", count: 16),
        ticket: String? = nil,
        following token: ChangeToken? = nil
    ) throws -> ContactRequest {
        let replica = ReplicaID(rawValue: try #require(UInt128(incarnation, radix: 16)))
        let chain = HistoryChain(of: replica, hash: .sha256)
        return ContactRequest(
            replica: .init(
                incarnation: incarnation,
                counter: chain.counter,
                chainHash: try #require(ContentDigest(bytes: chain.hash.bytes)),
                hostFingerprint: "board 7",
                ticket: ticket
            ),
            time: .now(),
            token: token
        )
    }
}
