import LibraryAPI
import Persistence
import PhotoModel
import Replication

/// A simple model of the library's side of replication: it admits changes in order, numbers entities as they change, and
/// tells a viewer what came, changed and left.
struct ModelLibrary {
    private struct Row {
        var number: Int64
        /// When it came last, and when it came first.
        var inserted: Int64
        let appeared: Int64
        var isRemoved = false
    }

    private(set) var state = ReplicaState()
    private(set) var assets: [AssetID: Asset] = [:]
    private var rows: [EntityReference: Row] = [:]
    private var last: Int64 = 0
    private var counters: [String: UInt64] = [:]
    private var refusals: [String: [ChangePushResponse.Refusal]] = [:]
    private var epoch: UInt128 = 1
    private var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 1000)
    /// Assets that the viewer may not edit.
    var sealed: Set<AssetID> = []

    /// Takes an asset in.
    mutating func add(_ number: UInt128, utcOffsetSeconds: Int? = nil) -> AssetID {
        let id = AssetID(rawValue: number)
        let time = CaptureTime(
            wall: WallTime(microsecondsSince1970: Int64(number) * 1_000_000),
            utcOffsetSeconds: utcOffsetSeconds,
            source: .deviceClock,
            isSynchronized: true
        )
        assets[id] = Asset(id: id, mediaType: .image, captureTime: time)
        touch(.asset(id))
        return id
    }

    /// An edit made elsewhere.
    mutating func edit(_ id: AssetID, milliseconds: UInt64, _ edit: AssetEdit) throws {
        author.milliseconds = milliseconds
        try edit.write(to: id, in: &state, by: &author)
        touch(.asset(id))
    }

    /// An asset leaves the view, or comes back.
    mutating func setVisible(_ id: AssetID, _ isVisible: Bool) {
        guard rows[.asset(id)]?.isRemoved == isVisible else { return }
        last += 1
        rows[.asset(id)]?.number = last
        rows[.asset(id)]?.isRemoved = !isVisible
        if isVisible { rows[.asset(id)]?.inserted = last }
    }

    /// The library goes back to an earlier state, as after a restore.
    mutating func restore(_ earlier: ModelLibrary) {
        let next = epoch + 1
        self = earlier
        epoch = next
        // Boxes may have seen what the library wrote since then: it goes on under another name, as the real one does.
        author = Author(
            incarnation: Incarnation(replica: ReplicaID(rawValue: 1000 + next)),
            milliseconds: author.milliseconds
        )
    }

    /// The highest counter that the library has of an incarnation.
    func acknowledged(_ incarnation: String) -> UInt64 { counters[incarnation] ?? 0 }

    /// Judges a push as the server does.
    mutating func take(_ push: ChangePush) throws -> ChangePushResponse? {
        var counter = counters[push.incarnation] ?? 0
        var answer = ChangePushResponse(acknowledged: counter)
        for pushed in push.changes {
            if pushed.counter <= counter {
                answer.refused += (refusals[push.incarnation] ?? []).filter { $0.counter == pushed.counter }
                continue
            }
            guard pushed.counter == counter + 1 else { return nil }
            counter = pushed.counter
            let changes = try Delta(encoded: pushed.delta.bytes).changes
            guard let change = changes.first, let entity = EntityReference(change.entity), isAllowed(entity) else {
                let refusal = ChangePushResponse.Refusal(
                    counter: counter,
                    problem: ProblemDetails(.notFound, "It is not in the view.")
                )
                refusals[push.incarnation, default: []].append(refusal)
                answer.refused.append(refusal)
                continue
            }
            try state.checkFollows(change)
            state.apply(change)
            touch(entity)
        }
        counters[push.incarnation] = counter
        answer.acknowledged = counter
        answer.changeNumber = ChangeNumber(rawValue: last)
        return answer
    }

    private func isAllowed(_ entity: EntityReference) -> Bool {
        switch entity {
        case .asset(let id): assets[id] != nil && !sealed.contains(id) && rows[entity]?.isRemoved == false
        case .membership(_, let id): assets[id] != nil && !sealed.contains(id)
        case .album: true
        }
    }

    private mutating func touch(_ entity: EntityReference) {
        last += 1
        rows[entity, default: Row(number: last, inserted: last, appeared: last)].number = last
    }

    /// A page after a token; nil when the token is of another history.
    func page(after token: ChangeToken?, limit: Int) -> ChangeFeedPage? {
        var start: Int64 = 0
        if let token {
            let parts = token.text.split(separator: ".").compactMap { Int64($0) }
            guard parts.count == 2, parts[0] == Int64(epoch), parts[1] <= last else { return nil }
            start = parts[1]
        }
        // What went twice since was seen before, though it came after the start the last time.
        let all = rows.filter { $0.value.number > start && !($0.value.isRemoved && $0.value.appeared > start) }
            .sorted { $0.value.number < $1.value.number }
        let shown = all.prefix(limit)
        let hasMore = all.count > limit
        let end = hasMore ? shown.last?.value.number ?? start : last
        return ChangeFeedPage(
            changes: shown.map { change($0.key, $0.value, after: start) },
            end: .init(token: ChangeToken(text: "\(epoch).\(end)"), hasMore: hasMore)
        )
    }

    private func change(_ entity: EntityReference, _ row: Row, after start: Int64) -> EntityChange {
        if row.isRemoved { return EntityChange(.removed, entity) }
        let bytes = Base64Bytes(state.part([entity.id]).canonicalBytes)
        let asset: Asset? = if case .asset(let id) = entity { asset(id) } else { nil }
        return EntityChange(
            row.inserted > start ? .inserted : .updated,
            entity,
            asset: asset,
            state: bytes
        )
    }

    /// An asset as the library shows it.
    func asset(_ id: AssetID) -> Asset? {
        guard var asset = assets[id], rows[.asset(id)]?.isRemoved == false else { return nil }
        if let view = state.entityView(.asset(id.rawValue)) {
            AssetFields.apply(view, to: &asset, originalLocation: nil)
        }
        asset.albums = Set(
            rows.keys.compactMap { entity in
                guard case .membership(let album, id) = entity,
                    state.entityView(entity.id)?.isPresent(MembershipField.presence) == true
                else { return nil }
                return album
            }
        )
        return asset
    }

    /// What a viewer who is up to date shows.
    var view: Set<Asset> { Set(assets.keys.compactMap { asset($0) }) }
}
