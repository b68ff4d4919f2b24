import Authorization
import LibraryAPI
import PhotoModel
import Replication
import SyncEngine

/// A simple model of what `docs/protocol.md` promises of a library.
///
/// Every call is idempotent, offsets never decrease, an asset becomes visible once, with every byte; what a backup does
/// not hold is gone after a restore, and the epoch tells; it may be killed between any two of its own steps.
struct SimulatedLibrary {
    /// What the library thinks of a device.
    struct Standing {
        /// The statuses for reading and adding.
        var grant: (readWrite: AuthorizationStatus, addOnly: AuthorizationStatus) = (.notDetermined, .authorized)
        var grantVersion: UInt64 = 1
        /// Why the device as such is refused.
        var identity: ErrorCode?
    }

    /// One call, as far as it came through.
    struct Call {
        let device: DeviceID
        let now: Duration
        /// How much of the body arrived.
        let arrived: Double
        let bug: PlantedBug?
        /// After how many of its steps the library is killed.
        var killedAfter: Int?
    }

    var uploads: [UploadID: Upload] = [:]
    var assets: [AssetID: Asset] = [:]
    var blobs: [ResourceID: Blob] = [:]
    var lastUpload: UInt128 = 0
    var lastNumber = 0
    /// Up to which number the last backup reaches.
    var watermark = 0
    /// Which history of the library this is.
    private(set) var epoch = 0
    /// Bytes that came and were of no use.
    var wastedBytes: Int64 = 0

    private var standings: [DeviceID: Standing] = [:]
    var rows: [ReplicaID: ReplicaRow] = [:]
    var frontier = StabilityFrontier()
    var lastTicket: UInt64 = 0
    var lastContact = 0
    /// What the replicas of the library make together, and what was admitted, in order.
    var replica = ReplicaState()
    var feed: [FeedEntry] = []
    /// Removals are forgotten up to this version: who follows from before has to enumerate.
    var forgottenVersion: UInt64 = 0
    private var author = Author(
        incarnation: Incarnation(replica: ReplicaID(rawValue: 1 << 64)),
        milliseconds: 0
    )

    func standing(_ device: DeviceID) -> Standing { standings[device] ?? Standing() }

    // MARK: Administrators

    mutating func decide(_ device: DeviceID, _ decision: AccessDecision) {
        standings[device, default: Standing()].grant =
            (decision.status(for: .readWrite), decision.status(for: .addOnly))
        standings[device]?.grantVersion += 1
    }

    /// A device expires, is suspected, or is good again; which of its copies called last is not asked any more then.
    mutating func judge(_ device: DeviceID, _ refusal: ErrorCode?) {
        if refusal == nil, standing(device).identity == .identitySuspect { chooseReplicas(of: device) }
        standings[device, default: Standing()].identity = refusal
    }

    /// An edit made elsewhere.
    mutating func edit(_ edit: SimulatedEdit, milliseconds: UInt64, _ truth: inout SimulatedTruth) {
        author.milliseconds = milliseconds
        let before = replica
        let made = edit.make(on: &replica, by: &author)
        truth.note(made, madeOn: before)
        for change in made {
            truth.admit(change)
            feed.append(FeedEntry(item: .change(change), version: replica.version))
        }
    }

    /// The library as a backup holds it, brought back: a new history, in which nothing is stamped as in the lost one.
    mutating func restore(_ backup: SimulatedLibrary) {
        let lost = self
        self = backup
        epoch = lost.epoch + 1
        (wastedBytes, lastUpload) = (lost.wastedBytes, lost.lastUpload)
        (lastTicket, lastContact) = (lost.lastTicket, lost.lastContact)
        uploads = [:]
        for (device, was) in lost.standings {
            standings[device] = was
            standings[device]?.grantVersion += 1
        }
        for incarnation in rows.keys { rows[incarnation]?.acceptsAnyTicket = true }
        author = Author(
            incarnation: Incarnation(replica: ReplicaID(rawValue: 1 << 64 + UInt128(epoch))),
            clock: author.clock,
            milliseconds: 0
        )
    }

    // MARK: Calls

    /// Answers a call.
    mutating func answer(_ request: SimulatedRequest, _ call: Call, _ truth: inout SimulatedTruth) -> SimulatedResponse
    {
        if let problem = standing(call.device).identity { return .refused(ProblemDetails(problem, "")) }
        switch request {
        case .contact(let contact, let ticket, let place):
            return self.contact(contact, ticket, place, call, &truth)
        case .authorize: return .authorization(authorization(of: call.device))
        case .batch(let entries): return batch(entries, call, &truth)
        case .describe(let entry): return describe(entry, call)
        case .position(let upload): return position(upload, call)
        case .append(let append, let isRotten): return self.append(append, isRotten: isRotten, call, &truth)
        case .commit(let asset): return commit(asset, call, &truth)
        case .push(let incarnation, let prior, let changes): return push(incarnation, prior, changes, call, &truth)
        case .pull(let place): return page(place, call, &truth)
        }
    }

    private func authorization(of device: DeviceID) -> SyncAuthorization {
        let standing = standing(device)
        return SyncAuthorization(
            readWrite: standing.grant.readWrite,
            addOnly: standing.grant.addOnly,
            grantVersion: standing.grantVersion
        )
    }

    /// Why a device may not read and edit; nil when it may.
    func viewRefusal(of device: DeviceID) -> ProblemDetails? {
        standing(device).grant.readWrite.grantsAccess ? nil : ProblemDetails(.insufficientScope, "")
    }

    /// Why a device may not save; nil when it may.
    func savingRefusal(of device: DeviceID) -> ProblemDetails? {
        switch standing(device).grant.addOnly {
        case .authorized, .limited: nil
        case .notDetermined: ProblemDetails(.notDetermined, "")
        case .denied: ProblemDetails(.denied, "")
        case .restricted: ProblemDetails(.restricted, "")
        }
    }

    /// The numbered edits that this history knows.
    var ratings: Set<Int64> {
        Set(
            feed.compactMap { entry in
                if case .change(let change) = entry.item, change.field == AssetField.rating,
                    case .integer(let stars) = change.value
                {
                    stars
                } else {
                    nil
                }
            }
        )
    }
}
