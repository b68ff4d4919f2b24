import Authorization
import LibraryAPI
import PhotoModel
import Replication
import SyncEngine

/// A simple model of what `protocol.md` promises of a library: every call is idempotent, offsets never decrease, an asset
/// becomes visible once, with every byte.
struct SimulatedLibrary {
    struct Upload {
        let asset: AssetID
        let resource: AssetResource
        var offset: Int64 = 0
        var isComplete: Bool { offset == resource.byteCount }
    }

    private(set) var uploads: [UploadID: Upload] = [:]
    private(set) var described: [AssetID: [AssetResource]] = [:]
    private(set) var visible: [AssetID: Int] = [:]
    /// The statuses for reading and adding.
    var grant: (readWrite: AuthorizationStatus, addOnly: AuthorizationStatus) = (.notDetermined, .authorized)
    var grantVersion: UInt64 = 1
    /// What the replicas of the library make together, and the changes in the order in which they were admitted.
    private(set) var replica = ReplicaState()
    private(set) var feed: [Change] = []
    private var admittedCounter: UInt64 = 0
    private var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 0)
    /// Bytes that came and were of no use.
    private(set) var wastedBytes: Int64 = 0
    private(set) var violations: [String] = []
    private var lastUpload: UInt128 = 0

    mutating func decide(_ addOnly: AuthorizationStatus, readWrite: AuthorizationStatus = .authorized) {
        grant = (addOnly == .denied ? .denied : readWrite, addOnly)
        grantVersion += 1
    }

    /// Why changes neither go up nor come down.
    private var viewRefusal: ProblemDetails? {
        grant.readWrite.grantsAccess ? nil : ProblemDetails(.insufficientScope, "")
    }

    /// An edit made elsewhere.
    mutating func edit(_ asset: UInt128, _ rating: Int64, milliseconds: UInt64) {
        author.milliseconds = milliseconds
        let change = try? replica.set(.integer(rating), field: AssetField.rating, of: .asset(asset), by: &author)
        if let change { feed.append(change) }
    }

    /// Takes a box's changes in the order of their counters; those that it has are passed over.
    mutating func push(_ changes: [Change]) -> Result<UInt64, ProblemDetails> {
        if let viewRefusal { return .failure(viewRefusal) }
        for change in changes where change.dot.counter > admittedCounter {
            guard change.dot.counter == admittedCounter + 1 else {
                violations.append("a change was left out")
                return .failure(ProblemDetails(.changeGap, ""))
            }
            admittedCounter += 1
            replica.apply(change)
            feed.append(change)
        }
        return .success(admittedCounter)
    }

    /// Changes after a place in the feed, under the grant that the place was told under.
    func changes(after place: Int, version: UInt64) -> Result<ArraySlice<Change>, ProblemDetails> {
        if let viewRefusal { return .failure(viewRefusal) }
        guard version == grantVersion else { return .failure(ProblemDetails(.tokenExpired, "")) }
        return .success(feed[place...].prefix(5))
    }

    var authorization: SyncAuthorization {
        SyncAuthorization(readWrite: grant.readWrite, addOnly: grant.addOnly, grantVersion: grantVersion)
    }

    private var refusal: ProblemDetails? {
        switch grant.addOnly {
        case .authorized, .limited: nil
        case .notDetermined: ProblemDetails(.notDetermined, "")
        case .denied: ProblemDetails(.denied, "")
        case .restricted: ProblemDetails(.restricted, "")
        }
    }

    mutating func describe(_ entry: SyncEntry) -> Result<[UploadStatus]?, ProblemDetails> {
        if let refusal { return .failure(refusal) }
        if visible[entry.id] != nil { return .success(nil) }
        if described[entry.id] == nil {
            described[entry.id] = entry.resources
            for resource in entry.resources {
                lastUpload += 1
                uploads[UploadID(rawValue: lastUpload)] = Upload(asset: entry.id, resource: resource)
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

    func position(_ id: UploadID) -> Result<(Int64, Bool), ProblemDetails> {
        if let refusal { return .failure(refusal) }
        guard let upload = uploads[id] else { return .failure(ProblemDetails(.notFound, "")) }
        return .success((upload.offset, upload.isComplete))
    }

    /// Takes an append of which `arrived` bytes came through.
    mutating func append(_ append: Append, arrived: Int64) -> Result<(Int64, Bool), ProblemDetails> {
        if let refusal { return .failure(refusal) }
        guard var upload = uploads[append.uploadID] else { return .failure(ProblemDetails(.notFound, "")) }
        guard upload.offset == append.offset else {
            wastedBytes += arrived
            return .failure(.offsetMismatch(expected: upload.offset, provided: append.offset))
        }
        guard append.offset + append.byteCount <= upload.resource.byteCount,
            append.isLast == (append.offset + append.byteCount == upload.resource.byteCount)
        else {
            violations.append("an append past the end of \(append.uploadID)")
            return .failure(ProblemDetails(.malformedRequest, ""))
        }
        upload.offset += arrived
        uploads[append.uploadID] = upload
        return .success((upload.offset, upload.isComplete))
    }

    mutating func commit(_ asset: AssetID) -> ProblemDetails? {
        if let refusal { return refusal }
        if visible[asset] != nil { return nil }
        guard described[asset] != nil else { return ProblemDetails(.notFound, "") }
        guard uploads.values.filter({ $0.asset == asset }).allSatisfy(\.isComplete) else {
            return ProblemDetails(.assetIncomplete, "")
        }
        visible[asset, default: 0] += 1
        uploads = uploads.filter { $0.value.asset != asset }
        return nil
    }

    /// A batch that came through whole: each asset becomes visible or is refused.
    mutating func batch(_ entries: [SyncEntry]) -> [AssetID: ProblemDetails?] {
        var results: [AssetID: ProblemDetails?] = [:]
        for entry in entries {
            if let refusal {
                results.updateValue(refusal, forKey: entry.id)
            } else {
                if visible[entry.id] == nil { visible[entry.id] = 1 }
                results.updateValue(nil, forKey: entry.id)
            }
        }
        return results
    }
}
