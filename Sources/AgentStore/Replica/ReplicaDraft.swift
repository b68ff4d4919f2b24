import FoundationEssentials
import GRDB
package import LibraryAPI
package import PhotoModel
package import Replication

/// Changes to the view that are made atomically.
///
/// Each is a write of this box's replica: shown at once, sent with the next sync, judged by the library on arrival.
package struct ReplicaDraft {
    private let rows: ReplicaTable
    private let now: WallTime
    private var author: ReplicaAuthor
    private var milliseconds: UInt64
    private var state = ReplicaState()
    private var loaded: Set<EntityReference> = []
    private(set) var changes: [Change] = []

    init(_ rows: ReplicaTable, _ author: ReplicaAuthor, milliseconds: UInt64, now: WallTime) {
        self.rows = rows
        self.author = author
        self.milliseconds = milliseconds
        self.now = now
    }

    /// Changes fields of an asset of the view.
    ///
    /// - Throws: `notFound` for an asset that is not in the view, `invalid` for a purged one and for edits that no
    ///   library accepts.
    package mutating func edit(_ asset: AssetID, _ edit: AssetEdit) throws {
        if let problem = edit.problem { throw AgentStoreError(.invalid, asset, problem.detail) }
        try require(.asset(asset))
        try write { state, author throws(ReplicationError) in try edit.write(to: asset, in: &state, by: &author) }
    }

    /// Puts an asset into the trash; its bytes stay until an administrator purges it.
    package mutating func trash(_ asset: AssetID) throws {
        try require(.asset(asset))
        let value = AssetFields.value(trashedAt: now)
        try write { state, author throws(ReplicationError) in
            [try state.set(value, field: AssetField.trashed, of: .asset(asset.rawValue), by: &author)]
        }
    }

    /// Creates an album.
    package mutating func createAlbum(_ album: AlbumID, title: String) throws {
        try check(title)
        try load(.album(album))
        try write { state, author throws(ReplicationError) in
            [
                try state.confirmAlbum(album.rawValue, by: &author),
                try state.set(.text(title), field: AlbumField.title, of: .album(album.rawValue), by: &author),
            ]
        }
    }

    /// Changes fields of an album.
    package mutating func editAlbum(_ album: AlbumID, _ edit: AlbumEdit) throws {
        if let title = edit.title { try check(title) }
        try require(.album(album))
        let id = EntityReference.album(album).id
        try write { state, author throws(ReplicationError) in
            var changes: [Change?] = []
            if let title = edit.title {
                changes.append(try state.set(.text(title), field: AlbumField.title, of: id, by: &author))
            }
            if let cover = edit.coverAssetID {
                changes.append(try state.set(.identifier(cover.rawValue), field: AlbumField.cover, of: id, by: &author))
            }
            if let order = edit.order {
                changes.append(try state.set(.text(order.rawValue), field: AlbumField.sort, of: id, by: &author))
            }
            return changes
        }
    }

    /// Deletes an album; its assets stay.
    package mutating func deleteAlbum(_ album: AlbumID) throws {
        try require(.album(album))
        try write { state, author throws(ReplicationError) in [try state.deleteAlbum(album.rawValue, by: &author)] }
    }

    /// Adds assets at an album's end; those already in it keep their place.
    package mutating func add(_ assets: [AssetID], to album: AlbumID) throws {
        try require(.album(album))
        let members = try members(of: album)
        let new = assets.filter { members[$0] == nil }
        for asset in new { try require(.asset(asset)) }
        let last = members.values.max()
        let replica = author.incarnation.replica
        let keys = try replicated { () throws(ReplicationError) in
            try PositionKey.run(of: new.count, between: last, nil, by: replica)
        }
        for (asset, key) in zip(new, keys) {
            try load(.membership(album: album, asset: asset))
            try write { state, author throws(ReplicationError) in
                try state.place(asset: asset.rawValue, in: album.rawValue, at: key, by: &author)
            }
        }
    }

    /// Removes assets from an album; those not in it are ignored.
    package mutating func remove(_ assets: [AssetID], from album: AlbumID) throws {
        try require(.album(album))
        for asset in assets {
            try load(.membership(album: album, asset: asset))
            try write { state, author throws(ReplicationError) in
                [try state.takeOut(asset: asset.rawValue, of: album.rawValue, by: &author)]
            }
        }
    }

    /// Writes the changes and the resulting view.
    mutating func commit() throws {
        for change in changes { try rows.append(change, by: &author, at: now) }
        try rows.save(author)
        for entity in Set(changes.compactMap { EntityReference($0.entity) }) {
            if try rows.base(of: entity) == nil {
                try rows.keep(ReplicaState(), of: entity, original: nil, generation: nil)
            } else {
                try rows.show(entity)
            }
        }
    }

    private mutating func write(
        _ body: (inout ReplicaState, inout Author) throws(ReplicationError) -> [Change?]
    ) throws {
        var writer = Author(incarnation: author.incarnation, clock: author.clock, milliseconds: milliseconds)
        var state = state
        let made = try replicated { () throws(ReplicationError) in try body(&state, &writer) }
        self.state = state
        author.incarnation = writer.incarnation
        author.clock = writer.clock
        changes += made.compactMap(\.self)
    }

    private func replicated<Value>(_ body: () throws(ReplicationError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw AgentStoreError(.invalid, nil, error.description, cause: error)
        }
    }

    /// Loads an entity for display.
    private mutating func require(_ entity: EntityReference) throws {
        try load(entity)
        let isMadeHere = changes.contains { $0.entity == entity.id }
        guard try isMadeHere || rows.shown(entity) != nil else {
            throw AgentStoreError(.notFound, nil, "\(entity.words) is not in this device's view of the library")
        }
    }

    private mutating func load(_ entity: EntityReference) throws {
        guard loaded.insert(entity).inserted, let known = try rows.state(of: entity) else { return }
        state.merge(known)
    }

    private func check(_ title: String) throws {
        guard 1...Album.maximumTitleByteCount ~= title.utf8.count, !title.utf8.contains(0) else {
            throw AgentStoreError(
                .invalid,
                nil,
                "an album's title has 1 to \(Album.maximumTitleByteCount) bytes, none of them 0"
            )
        }
    }

    /// The assets of an album with their positions.
    private mutating func members(of album: AlbumID) throws -> [AssetID: PositionKey] {
        for asset in try rows.members(of: album) { try load(.membership(album: album, asset: asset)) }
        var members: [AssetID: PositionKey] = [:]
        for entity in loaded {
            guard case .membership(album, let asset) = entity else { continue }
            members[asset] = state.entityView(entity.id)?.position
        }
        return members
    }
}

extension AgentStore.Transaction {
    /// Changes the view within a transaction; call `notifyViewChanged` after it.
    ///
    /// The fresh incarnation begins if the box has none yet; the server's time in milliseconds since 1970 is what was
    /// learned in this boot, or 0.
    ///
    /// - Throws: what the body throws, and `storage`.
    package func change(
        fresh: ReplicaID,
        serverMilliseconds milliseconds: UInt64,
        now: WallTime,
        _ body: (inout ReplicaDraft) throws -> Void
    ) throws {
        let rows = ReplicaTable(database: database)
        var draft = ReplicaDraft(rows, try rows.author(orBegin: fresh), milliseconds: milliseconds, now: now)
        try body(&draft)
        try draft.commit()
    }
}

extension EntityReference {
    /// The entity in words.
    package var words: String {
        switch self {
        case .asset(let id): "the asset \(id)"
        case .album(let id): "the album \(id)"
        case .membership(let album, let asset): "the asset \(asset) in the album \(album)"
        }
    }
}
