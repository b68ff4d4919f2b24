import LibraryAPI
import PhotoModel
import Replication
import SyncEngine

/// What a box sends: everything that the library may see of it, as it was when it was sent.
enum SimulatedRequest {
    case contact(Contact, ticket: UInt64?, follows: BoxRecord.Place)
    case authorize
    case batch([SyncEntry])
    case describe(SyncEntry)
    case position(UploadID)
    case append(Append, isRotten: Bool)
    case commit(AssetID)
    case push(ReplicaID, after: HistoryChain, [Change])
    case pull(BoxRecord.Place)
}

/// What the library answers.
enum SimulatedResponse {
    case refused(ProblemDetails)
    case contact(SimulatedContactResponse)
    case authorization(SyncAuthorization)
    case batch([(asset: AssetID, result: Result<SimulatedReceipt, ProblemDetails>)])
    case uploads([UploadStatus])
    case receipt(SimulatedReceipt)
    case position(Int64, isComplete: Bool)
    case pushed(acknowledged: UInt64)
    case page(SimulatedPage)
    /// It was killed meanwhile.
    case nothing
}

/// The library's word for an asset: in which of its histories, and as which change.
struct SimulatedReceipt: Hashable {
    let epoch: Int
    let number: Int
}

/// What a contact is told.
struct SimulatedContactResponse {
    /// Counts all contacts of the world.
    let serial: Int
    let verdict: ContactVerdict
    let acknowledged: UInt64
    let ticket: UInt64?
    let grantVersion: UInt64
    let epoch: Int
    let watermark: Int
    let hasChanges: Bool
}

/// A page of the feed, or the whole view.
struct SimulatedPage {
    enum Item {
        case change(Change)
        case forget([EntityID])
    }

    /// What it was asked for.
    let start: BoxRecord.Place
    let end: BoxRecord.Place
    var items: [Item] = []
    /// The state at `end`, for who enumerates.
    var whole: ReplicaState?
    let hasMore: Bool
}
