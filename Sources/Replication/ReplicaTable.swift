/// Maps replicas to small numbers, so that entries need not repeat 16 bytes each.
struct ReplicaTable {
    private(set) var ids: [ReplicaID] = []
    private var indices: [ReplicaID: UInt32] = [:]

    subscript(index: UInt32) -> ReplicaID { ids[Int(index)] }

    /// A replica's number, assigned now if needed.
    mutating func intern(_ id: ReplicaID) -> UInt32 {
        if let known = indices[id] { return known }
        let index = UInt32(ids.count)
        ids.append(id)
        indices[id] = index
        return index
    }

    /// A replica's number, if it has one.
    func index(of id: ReplicaID) -> UInt32? { indices[id] }
}
