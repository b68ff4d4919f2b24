import Authorization
import LibraryAPI
import PhotoModel
import Replication
import SyncEngine

/// A simple model of what `docs/protocol.md` promises of a library: every call is idempotent, offsets never decrease, an
/// asset becomes visible once, with every byte; what a backup does not hold is gone after a restore, and the epoch tells.
struct SimulatedLibrary {
    struct Upload {
        let device: DeviceID
        let asset: AssetID
        let resource: AssetResource
        var offset: Int64 = 0
        var isComplete: Bool { offset == resource.byteCount }
    }

    /// What the library thinks of a device.
    struct Standing {
        /// The statuses for reading and adding.
        var grant: (readWrite: AuthorizationStatus, addOnly: AuthorizationStatus) = (.notDetermined, .authorized)
        var grantVersion: UInt64 = 1
        /// Why the device as such is refused.
        var identity: ErrorCode?
        /// The device's last change that was admitted.
        var admitted: UInt64 = 0
    }

    private(set) var uploads: [UploadID: Upload] = [:]
    private(set) var visible: [AssetID: Int] = [:]
    private var described: Set<AssetID> = []
    private var standings: [DeviceID: Standing] = [:]
    /// What the replicas of the library make together, and the changes in the order in which they were admitted.
    private(set) var replica = ReplicaState()
    private(set) var feed: [Change] = []
    private var author: Author
    private var lastUpload: UInt128 = 0
    /// Which history of the library this is.
    private(set) var epoch = 0
    /// Bytes that came and were of no use.
    private(set) var wastedBytes: Int64 = 0
    private(set) var violations: [String] = []

    init() {
        author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1 << 64)), milliseconds: 0)
    }

    func standing(_ device: DeviceID) -> Standing { standings[device] ?? Standing() }

    // MARK: Administrators

    mutating func decide(_ device: DeviceID, _ addOnly: AuthorizationStatus, readWrite: AuthorizationStatus) {
        standings[device, default: Standing()].grant = (addOnly == .denied ? .denied : readWrite, addOnly)
        standings[device]?.grantVersion += 1
    }

    /// A device expires, is suspected, or is good again.
    mutating func judge(_ device: DeviceID, _ refusal: ErrorCode?) {
        standings[device, default: Standing()].identity = refusal
    }

    /// An edit made elsewhere.
    mutating func edit(_ asset: UInt128, _ rating: Int64, milliseconds: UInt64) {
        author.milliseconds = milliseconds
        let change = try? replica.set(.integer(rating), field: AssetField.rating, of: .asset(asset), by: &author)
        if let change { feed.append(change) }
    }

    /// The library as a backup holds it, brought back: a new history, in which nothing is stamped as in the lost one.
    mutating func restore(_ backup: SimulatedLibrary) {
        let (epoch, wasted, problems, upload) = (epoch, wastedBytes, violations, lastUpload)
        let standings = standings
        self = backup
        self.epoch = epoch + 1
        wastedBytes = wasted
        violations = problems
        lastUpload = upload
        uploads = [:]
        described = Set(visible.keys)
        for (device, was) in standings {
            var standing = self.standings[device] ?? Standing()
            standing.grant = was.grant
            standing.identity = was.identity
            standing.grantVersion = was.grantVersion + 1
            self.standings[device] = standing
        }
        let replica = ReplicaID(rawValue: 1 << 64 + UInt128(self.epoch))
        author = Author(incarnation: Incarnation(replica: replica), milliseconds: 0)
    }

    // MARK: Contact

    func authorization(of device: DeviceID) -> SyncAuthorization {
        let standing = standing(device)
        return SyncAuthorization(
            readWrite: standing.grant.readWrite,
            addOnly: standing.grant.addOnly,
            grantVersion: standing.grantVersion
        )
    }

    /// Why nothing at all is taken from a device.
    func identityRefusal(of device: DeviceID) -> ProblemDetails? {
        standing(device).identity.map { ProblemDetails($0, "") }
    }

    private func viewRefusal(of device: DeviceID) -> ProblemDetails? {
        identityRefusal(of: device)
            ?? (standing(device).grant.readWrite.grantsAccess ? nil : ProblemDetails(.insufficientScope, ""))
    }

    private func refusal(of device: DeviceID) -> ProblemDetails? {
        if let problem = identityRefusal(of: device) { return problem }
        return switch standing(device).grant.addOnly {
        case .authorized, .limited: nil
        case .notDetermined: ProblemDetails(.notDetermined, "")
        case .denied: ProblemDetails(.denied, "")
        case .restricted: ProblemDetails(.restricted, "")
        }
    }

    // MARK: Changes

    /// Takes a device's changes in the order of their counters; those that it has are passed over.
    mutating func push(_ device: DeviceID, _ changes: [Change]) -> Result<UInt64, ProblemDetails> {
        if let problem = viewRefusal(of: device) { return .failure(problem) }
        var admitted = standing(device).admitted
        for change in changes where change.dot.counter > admitted {
            guard change.dot.counter == admitted + 1 else {
                violations.append("promise 8: a change was left out")
                return .failure(ProblemDetails(.changeGap, ""))
            }
            admitted += 1
            replica.apply(change)
            feed.append(change)
        }
        standings[device, default: Standing()].admitted = admitted
        return .success(admitted)
    }

    /// Changes after a place in the feed, under the grant that the place was told under.
    func changes(_ device: DeviceID, after place: Int, version: UInt64) -> Result<ArraySlice<Change>, ProblemDetails> {
        if let problem = viewRefusal(of: device) { return .failure(problem) }
        guard version == standing(device).grantVersion else { return .failure(ProblemDetails(.tokenExpired, "")) }
        return .success(feed[place...].prefix(5))
    }

    // MARK: Uploads

    mutating func describe(_ device: DeviceID, _ entry: SyncEntry) -> Result<[UploadStatus]?, ProblemDetails> {
        if let problem = refusal(of: device) { return .failure(problem) }
        if visible[entry.id] != nil { return .success(nil) }
        if described.insert(entry.id).inserted {
            for resource in entry.resources {
                lastUpload += 1
                uploads[UploadID(rawValue: lastUpload)] = Upload(device: device, asset: entry.id, resource: resource)
            }
        }
        return .success(
            uploads.filter { $0.value.asset == entry.id }.sorted { $0.key < $1.key }.map { id, upload in
                UploadStatus(
                    id: id,
                    resourceID: upload.resource.id,
                    offset: upload.offset,
                    length: upload.resource.byteCount,
                    isComplete: upload.isComplete,
                    expires: WallTime(microsecondsSince1970: 0)
                )
            }
        )
    }

    func position(_ device: DeviceID, _ id: UploadID) -> Result<(Int64, Bool), ProblemDetails> {
        if let problem = refusal(of: device) { return .failure(problem) }
        guard let upload = uploads[id], upload.device == device else { return .failure(ProblemDetails(.notFound, "")) }
        return .success((upload.offset, upload.isComplete))
    }

    /// Takes an append of which `arrived` bytes came through.
    mutating func append(
        _ device: DeviceID,
        _ append: Append,
        arrived: Int64
    ) -> Result<(Int64, Bool), ProblemDetails> {
        if let problem = refusal(of: device) { return .failure(problem) }
        guard var upload = uploads[append.uploadID], upload.device == device else {
            return .failure(ProblemDetails(.notFound, ""))
        }
        guard upload.offset == append.offset else {
            wastedBytes += arrived
            return .failure(.offsetMismatch(expected: upload.offset, provided: append.offset))
        }
        guard append.offset + append.byteCount <= upload.resource.byteCount,
            append.isLast == (append.offset + append.byteCount == upload.resource.byteCount)
        else {
            violations.append("promise 3: an append past the end of \(append.uploadID)")
            return .failure(ProblemDetails(.malformedRequest, ""))
        }
        upload.offset += arrived
        uploads[append.uploadID] = upload
        return .success((upload.offset, upload.isComplete))
    }

    mutating func commit(_ device: DeviceID, _ asset: AssetID) -> ProblemDetails? {
        if let problem = refusal(of: device) { return problem }
        if visible[asset] != nil { return nil }
        guard described.contains(asset) else { return ProblemDetails(.notFound, "") }
        guard uploads.values.filter({ $0.asset == asset }).allSatisfy(\.isComplete) else {
            return ProblemDetails(.assetIncomplete, "")
        }
        visible[asset, default: 0] += 1
        uploads = uploads.filter { $0.value.asset != asset }
        return nil
    }

    /// A batch that came through whole: each asset becomes visible or is refused, in the order of the entries.
    mutating func batch(_ device: DeviceID, _ entries: [SyncEntry]) -> [(AssetID, ProblemDetails?)] {
        let problem = refusal(of: device)
        return entries.map { entry in
            if problem == nil, visible[entry.id] == nil {
                visible[entry.id] = 1
                uploads = uploads.filter { $0.value.asset != entry.id }
                described.insert(entry.id)
            }
            return (entry.id, problem)
        }
    }
}
