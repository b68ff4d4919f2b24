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
    /// What is chosen, in the order of choosing.
    var picked: [AssetID] = []
    /// What the person has taken out besides what was asked for.
    var stripsBesides: [MetadataPart]?
    /// The encoding that the person decided for; nil for the one asked for.
    var encoding: String?
    /// Whether the audit has that items were fetched.
    var isFetched = false

    /// Where it stands at a time.
    func state(at time: WallTime) -> PickerSession.State { time < expires ? state : .ended }

    /// What is taken out of the bytes.
    var strip: Set<MetadataPart> { Set((request.strip ?? [.location]) + (stripsBesides ?? [])) }

    /// In which encoding the bytes are served.
    var servedEncoding: String { encoding ?? request.encoding ?? "current" }

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
            count: picked.count
        )
    }

    /// For the person who chooses, and for operators.
    func summary(at time: WallTime) -> PickDocument {
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
            picked: picked,
            created: created,
            expires: expires
        )
    }

}
