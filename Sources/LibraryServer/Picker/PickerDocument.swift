import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// A picker session as it is kept.
///
/// The record stays until the session's last day, also after its end, so that whoever comes late learns that it is over.
struct PickerDocument: StoredDocument {
    static let kind = RecordKind.pickerSession

    /// Names the session.
    let id: PickerSessionID
    /// Who gets what is chosen.
    let owner: Actor
    /// What was asked for, its limits settled.
    var request: PickerRequest
    /// What both pages show.
    let code: String
    /// When it was opened.
    let created: WallTime
    /// When it ends by itself.
    var expires: WallTime
    /// Where it stands, as long as it has not expired.
    var state = PickerSession.State.open
    /// What a person chose, in the order of choosing; empty until one acts, whatever the caller preselected.
    var picked: [AssetID] = []
    /// Whether a person has chosen or finished; nil for no.
    ///
    /// Before that, nothing of the library shows to the caller.
    var hasActed: Bool?
    /// Makes the identifiers under which the caller knows the items; nil where it knows the library's own.
    ///
    /// The library's identifiers of imports are derived from the bytes, so only who may read everything is told them.
    var itemKey: Base64Bytes?
    /// What the person has taken out besides what was asked for.
    var stripsBesides: [MetadataPart]?
    /// The form that the person decided for; nil for the one asked for.
    var encoding: PickerEncoding?
    /// How often what is chosen has changed; nil for never.
    var revision: Int?
    /// Whether the audit has that items were fetched.
    var isFetched = false

    /// Where it stands at a time.
    func state(at time: WallTime) -> PickerSession.State { time < expires ? state : .ended }

    /// What is taken out of the bytes.
    var strip: Set<MetadataPart> { Set((request.strip ?? [.location]) + (stripsBesides ?? [])) }

    /// The form in which the bytes are served.
    var servedEncoding: PickerEncoding { encoding ?? request.encoding ?? .automatic }

    /// Whether the person is offered something.
    func offers(_ capability: PickerCapability) -> Bool {
        !(request.disabledCapabilities ?? []).contains(capability.rawValue)
    }

    /// Says that something else is chosen now.
    mutating func choose(_ assets: [AssetID]) {
        guard picked != assets else { return }
        picked = assets
        revision = (revision ?? 0) + 1
    }

    /// Under which identifier the caller knows a chosen asset.
    func item(_ asset: AssetID) -> AssetID {
        guard let itemKey else { return asset }
        return .derived(from: ContentHasher.digest(itemKey.bytes + asset.bytes))
    }

    /// The chosen asset that the caller knows under an identifier; nil when nothing of the kind was chosen.
    func asset(ofItem item: AssetID) -> AssetID? { picked.first { self.item($0) == item } }

    /// What the caller changes of what is chosen; items that are not chosen are passed over.
    mutating func rearrange(deselecting gone: Set<AssetID>, moving moves: [PickerEdit.Move]) {
        var order = picked.filter { !gone.contains(item($0)) }
        for move in moves {
            guard let from = order.firstIndex(where: { item($0) == move.id }) else { continue }
            let before = move.after.map { after in order.firstIndex { item($0) == after } } ?? -1
            guard let before, before != from else { continue }
            let moved = order.remove(at: from)
            order.insert(moved, at: before < from ? before + 1 : before)
        }
        choose(order)
    }

    /// How an owner's sessions are found.
    static func ownerKey(of actor: Actor) -> String { actor.description }

    /// Whether an asset may be chosen: the session's filter, and nothing hidden or in the trash.
    func permits(_ asset: Asset) -> Bool {
        !asset.isHidden && asset.trashedAt == nil && request.filter?.matches(asset) ?? true
    }

    /// What the server keeps of the secret behind `#`.
    static func digest(ofSecret secret: String) -> ContentDigest { ContentHasher.digest(Array(secret.utf8)) }

    /// For its caller.
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

    /// For the person who chooses, and for operators.
    ///
    /// - Parameters:
    ///   - time: now, by which it may have ended.
    ///   - suggested: what the person sees as chosen before having acted.
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
