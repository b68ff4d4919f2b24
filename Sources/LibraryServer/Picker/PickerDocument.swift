import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// A stored picker session.
///
/// The record is kept until the session's last day, even after its end, so that late callers learn of the end.
struct PickerDocument: StoredDocument {
    static let kind = RecordKind.pickerSession

    /// The session's identifier.
    let id: PickerSessionID
    /// Who receives the choice.
    let owner: Actor
    /// The request, with its limits resolved.
    var request: PickerRequest
    /// The request as it came, if its caller may repeat it and has changed it since; nil for unchanged.
    var firstRequest: PickerRequest?
    /// The code shown on both pages.
    let code: String
    /// When it was opened.
    let created: WallTime
    var expires: WallTime
    /// Its state, unless expired.
    var state = PickerSession.State.open
    /// Whether the person was done before the session was ended; nil for no.
    var wasDone: Bool?
    /// The person's choice, in the order of choosing; empty until the person acts, whatever the caller preselected.
    var picked: [AssetID] = []
    /// Whether a person has chosen or finished; nil for no.
    ///
    /// Until then the caller sees nothing of the library.
    var hasActed: Bool?
    /// Derives the identifiers by which the caller knows the items; nil if it knew the library's own when it opened the
    /// session.
    ///
    /// The identifiers of imports are derived from their bytes, so only callers that may read everything get them.
    var itemKey: Base64Bytes?
    /// Derives the entity tags of the items' bytes; nil in sessions opened before there was one.
    var tagKey: Base64Bytes?
    /// Additional metadata that the person wants stripped.
    var stripsBesides: [MetadataPart]?
    /// The form chosen by the person; nil for the requested one.
    var encoding: PickerEncoding?
    /// How often the choice, the preselection shown for it or the purpose has changed; nil for never.
    var revision: Int?
    /// Whether the caller has changed the purpose since the person last chose; nil for no.
    var isForAnotherPurpose: Bool?
    /// Whether the audit records that items were fetched.
    var isFetched = false

    func state(at time: WallTime) -> PickerSession.State { time < expires ? state : .ended }

    /// Whether the person handed the choice over, also if the session was ended since.
    var isHandedOver: Bool { state == .done || wasDone ?? false }

    /// Ends the session.
    mutating func end() {
        if state == .done { wasDone = true }
        state = .ended
    }

    /// The metadata to strip.
    var strip: Set<MetadataPart> { Set((request.strip ?? [.location]) + (stripsBesides ?? [])) }

    /// The form of the served bytes.
    var servedEncoding: PickerEncoding { encoding ?? request.encoding ?? .automatic }

    /// Whether items are served with the bytes that are stored.
    var isServedAsStored: Bool { strip.isEmpty && [.current, .original].contains(servedEncoding) }

    /// Whether the person is offered a capability.
    func offers(_ capability: PickerCapability) -> Bool {
        !(request.disabledCapabilities ?? []).contains(capability.rawValue)
    }

    /// Replaces the choice.
    mutating func choose(_ assets: [AssetID]) {
        guard picked != assets else { return }
        picked = assets
        revision = (revision ?? 0) &+ 1
    }

    /// Replaces the purpose: what the person was shown before is no longer what a choice is for.
    mutating func change(purpose: String) {
        guard request.purpose != purpose else { return }
        request.purpose = purpose
        isForAnotherPurpose = true
        revision = (revision ?? 0) &+ 1
    }

    /// The session as known to a caller that may not read the library: with identifiers of its own, also if it could
    /// read when it opened the session.
    ///
    /// Sessions of earlier versions without a key keep the library's.
    var withOwnIdentifiers: PickerDocument {
        var document = self
        document.itemKey = itemKey ?? tagKey
        return document
    }

    /// The caller's identifier of a chosen asset.
    func item(_ asset: AssetID) -> AssetID {
        guard let itemKey else { return asset }
        return .derived(from: ContentHasher.digest(itemKey.bytes + asset.bytes))
    }

    /// The caller's form of an entity tag.
    ///
    /// Tags contain the original's digest, which reveals an import's identifier, and lets a caller that got a stripped
    /// copy test guesses of what was stripped.
    func sealed(tag: String) -> String {
        ContentHasher.digest(((tagKey ?? itemKey)?.bytes ?? []) + Array(tag.utf8)).description
    }

    /// The chosen asset with a caller's identifier; nil if not chosen.
    func asset(ofItem item: AssetID) -> AssetID? { picked.first { self.item($0) == item } }

    /// The chosen assets by the caller's identifiers, for many of them: each identifier is a hash.
    var pickedByItem: [AssetID: AssetID] {
        Dictionary(picked.map { (item($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Applies the caller's changes to the choice or, until the person acts, to its own preselection.
    ///
    /// The preselection is changed by its names alone: nothing depends on whether there are such assets.
    mutating func rearrange(
        deselecting gone: Set<AssetID>,
        moving moves: [PickerEdit.Move],
        by origin: Pickers.Origin
    ) {
        guard hasActed ?? false else {
            guard let names = request.preselected else { return }
            let order = Self.rearranged(names, deselecting: gone, moving: moves)
            guard order != names else { return }
            request.preselected = order
            revision = (revision ?? 0) &+ 1
            return
        }
        let own = known(by: origin)
        let assets = own.pickedByItem
        let order = Self.rearranged(picked.map(own.item), deselecting: gone, moving: moves)
        choose(order.compactMap { assets[$0] })
    }

    /// Names in another order, without those that are gone; changes of others are ignored.
    private static func rearranged(
        _ names: [AssetID],
        deselecting gone: Set<AssetID>,
        moving moves: [PickerEdit.Move]
    ) -> [AssetID] {
        var order = names.filter { !gone.contains($0) }
        for move in moves {
            guard let from = order.firstIndex(of: move.id) else { continue }
            let before = move.after.map { order.firstIndex(of: $0) } ?? -1
            guard let before, before != from else { continue }
            order.remove(at: from)
            order.insert(move.id, at: before < from ? before + 1 : before)
        }
        return order
    }

    /// The lookup key of an owner's sessions.
    static func ownerKey(of actor: Actor) -> String { actor.description }

    /// Whether an asset may be chosen: it matches the session's filter, and is not hidden or trashed.
    func permits(_ asset: Asset) -> Bool {
        !asset.isHidden && asset.trashedAt == nil && request.filter?.matches(asset) ?? true
    }

    /// The stored digest of the secret after `#`.
    static func digest(ofSecret secret: String) -> ContentDigest { ContentHasher.digest(Array(secret.utf8)) }

    /// The caller's view.
    func session(at time: WallTime, secret: String? = nil, pollSeconds: Int) -> PickerSession {
        PickerSession(
            id: id,
            state: state(at: time),
            pickURI: secret.map { "/pick/\(id)#\($0)" },
            code: code,
            expires: expires,
            pollSeconds: pollSeconds,
            count: picked.count,
            selectionLimit: request.maximumCount,
            revision: request.isContinuous ?? false ? revision ?? 0 : nil
        )
    }

    /// The view of the choosing person, and of operators.
    ///
    /// - Parameters:
    ///   - time: the current time, by which it may have expired.
    ///   - suggested: the assets shown as chosen before the person acts.
    /// - Returns: the session without its secrets.
    func summary(at time: WallTime, suggesting suggested: [AssetID] = []) -> PickDocument {
        var device: DeviceID?
        if case .device(let id) = owner { device = id }
        return PickDocument(
            id: id,
            caller: owner.description,
            deviceID: device,
            code: code,
            request: request,
            strip: MetadataPart.allCases.filter(strip.contains),
            encoding: servedEncoding,
            state: state(at: time),
            picked: hasActed ?? false ? picked : suggested,
            revision: revision ?? 0,
            created: created,
            expires: expires
        )
    }

}
