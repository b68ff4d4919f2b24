import LibraryAPI
import PhotoModel
import Replication
import SyncEngine
import TestSupport

// What a box keeps of what it is answered, each answer in a transaction of its own.

extension SimulatedBox {
    /// Local work: reading the queue, notes of holds, dead letters.
    mutating func doLocally(_ action: SyncAction, _ world: inout SimulatedSurroundings) -> Step {
        finish(action, &world) { box, world throws(SimulatedDisk.Failure) in
            if case .load = action {
                let entries = box.reading ?? box.disk.content.owed
                box.reading = nil
                if world.happens(.diskError, oneIn: 60) { throw .inputOutput }
                return .loaded(entries)
            }
            try box.disk.commit([{ $0.note(action) }], &world)
            return .noted(action)
        }
    }

    /// Keeps an answer, and tells the machine.
    mutating func take(
        _ action: SyncAction,
        _ request: SimulatedRequest,
        _ answer: SimulatedResponse,
        _ world: inout SimulatedSurroundings
    ) -> Step {
        finish(action, &world) { box, world throws(SimulatedDisk.Failure) in
            switch answer {
            case .nothing: .failed(action, .noAnswer("the library went away"))
            case .refused(let problem): try box.takeRefusal(action, request, problem, &world)
            case .authorization(let authorization): try box.takeAuthorization(action, authorization, &world)
            case .contact(let answer): try box.takeContact(answer, &world)
            case .batch(let results): try box.takeBatch(action, results, &world)
            case .uploads(let uploads): box.takeUploads(action, uploads)
            case .receipt(let receipt): try box.takeReceipt(action, receipt, &world)
            case .position(let offset, let isComplete): box.takePosition(action, offset, isComplete, &world)
            case .pushed(let acknowledged): try box.takeAcknowledgement(request, acknowledged, &world)
            case .page(let page): try box.takePage(action, page, &world)
            }
        }
    }

    private mutating func finish(
        _ action: SyncAction,
        _ world: inout SimulatedSurroundings,
        _ body: (inout Self, inout SimulatedSurroundings) throws(SimulatedDisk.Failure) -> SyncEvent
    ) -> Step {
        var event: SyncEvent
        do throws(SimulatedDisk.Failure) {
            event = try body(&self, &world)
        } catch {
            if error == .powerCut {
                restart(isPowerCut: true, &world)
                return .begun(action)
            }
            event = .failed(action, .local("the disk failed: \(error)"))
        }
        if world.bug == .forgetsQueue, case .contacted(var answer) = event {
            answer.wantsAgain = false
            event = .contacted(answer)
        }
        machine.handle(event, now: world.now)
        return .done(action, event)
    }

    /// What waits is stamped anew, or named anew; a view that cannot be continued is read from its start.
    private mutating func takeRefusal(
        _ action: SyncAction,
        _ request: SimulatedRequest,
        _ problem: ProblemDetails,
        _ world: inout SimulatedSurroundings
    ) throws(SimulatedDisk.Failure) -> SyncEvent {
        switch (action, problem.code) {
        case (.push, .clockAhead):
            try restamp(&world)
            return .pushed(PushOutcome(hasMore: true))
        case (.push, .changesForked):
            if case .push(disk.content.author.replica, _, _) = request { try beginAnew(&world) }
            return .pushed(PushOutcome(hasMore: true))
        case (.pull, .tokenExpired) where disk.content.place.position != nil:
            try disk.commit([{ $0.place.position = nil }], &world)
            heard.position = nil
            return .pulled(action, PullOutcome(hasMore: true))
        default:
            return .failed(action, .refused(problem))
        }
    }

    private mutating func restamp(_ world: inout SimulatedSurroundings) throws(SimulatedDisk.Failure) {
        guard world.bug != .keepsWrongStamps else { return }
        let milliseconds = world.milliseconds
        try disk.commit([{ $0.restamp(milliseconds) }], &world)
    }

    private mutating func takeAuthorization(
        _ action: SyncAction,
        _ authorization: SyncAuthorization,
        _ world: inout SimulatedSurroundings
    ) throws(SimulatedDisk.Failure) -> SyncEvent {
        try disk.commit([{ $0.authorization = authorization }], &world)
        return .authorized(action, authorization)
    }

    private mutating func beginAnew(_ world: inout SimulatedSurroundings) throws(SimulatedDisk.Failure) {
        let fresh = ReplicaID(using: &world.generator)
        try disk.commit([{ $0.begin(fresh) }], &world)
        heard = disk.content.place
    }

    /// The ticket first of all; then who it is from now on; then what another history of the library had.
    private mutating func takeContact(
        _ answer: SimulatedContactResponse,
        _ world: inout SimulatedSurroundings
    ) throws(SimulatedDisk.Failure) -> SyncEvent {
        if let ticket = answer.ticket {
            try disk.commit([{ $0.ticket = ticket }], &world)
            world.truth.metArrived(answer.serial, disk.content.author.replica)
        }
        knowsTime = true
        switch answer.verdict.remedy {
        case .beginNewIncarnation:
            try beginAnew(&world)
        case .proceed:
            try disk.commit([{ $0.reconcile(answer.acknowledged) }], &world)
        case .becomeSuspect:
            break
        }
        let owedBefore = disk.content.owed.count
        try disk.commit(
            [
                { record in
                    record.watermark = answer.watermark
                    record.offerAgain(unlessOf: answer.epoch)
                }
            ],
            &world
        )
        if disk.content.place.position == nil { heard = disk.content.place }
        return .contacted(
            ContactOutcome(
                grantVersion: answer.grantVersion,
                wantsAgain: disk.content.owed.count > owedBefore,
                hasChanges: answer.hasChanges,
                remembered: disk.content.authorization
            )
        )
    }

    private mutating func takeBatch(
        _ action: SyncAction,
        _ results: [(asset: AssetID, result: Result<SimulatedReceipt, ProblemDetails>)],
        _ world: inout SimulatedSurroundings
    ) throws(SimulatedDisk.Failure) -> SyncEvent {
        var committed: [AssetID] = []
        var refused: [AssetID: SyncFailure] = [:]
        if case .batch(let assets) = action {
            for asset in assets where world.truth.rotten.contains(asset) {
                refused[asset] = .damaged("the bytes are not the captured ones")
            }
        }
        var pages: [SimulatedDisk.Page] = []
        for (asset, result) in results {
            switch result {
            case .failure(let problem): refused[asset] = .refused(problem)
            case .success(let receipt):
                pages.append { $0.keep(receipt, of: asset) }
                committed.append(asset)
            }
        }
        if !pages.isEmpty { try disk.commit(pages, &world) }
        return .batched(action, committed: committed.sorted(), refused: refused)
    }

    private mutating func takeReceipt(
        _ action: SyncAction,
        _ receipt: SimulatedReceipt,
        _ world: inout SimulatedSurroundings
    ) throws(SimulatedDisk.Failure) -> SyncEvent {
        switch action {
        case .describe(let asset), .commit(let asset):
            try disk.commit([{ $0.keep(receipt, of: asset) }], &world)
            return .committed(asset)
        default: preconditionFailure("a receipt answers a description or a commit")
        }
    }

    private func takeUploads(_ action: SyncAction, _ uploads: [UploadStatus]) -> SyncEvent {
        guard case .describe(let asset) = action else { preconditionFailure("uploads answer a description") }
        return .described(asset, uploads)
    }

    private mutating func takePosition(
        _ action: SyncAction,
        _ offset: Int64,
        _ isComplete: Bool,
        _ world: inout SimulatedSurroundings
    ) -> SyncEvent {
        let (asset, upload): (AssetID, UploadID) =
            switch action {
            case .position(let asset, let upload): (asset, upload)
            case .append(let append): (append.assetID, append.uploadID)
            default: preconditionFailure("a position answers a question or an append")
            }
        if offset < promised[upload] ?? 0 { world.truth.blame(2, "an offset decreased") }
        promised[upload] = offset
        return .positioned(asset, upload, offset: offset, isComplete: isComplete)
    }

    private mutating func takeAcknowledgement(
        _ request: SimulatedRequest,
        _ acknowledged: UInt64,
        _ world: inout SimulatedSurroundings
    ) throws(SimulatedDisk.Failure) -> SyncEvent {
        guard case .push(let incarnation, _, let changes) = request, incarnation == disk.content.author.replica else {
            // It was sent under a name that is not this box's any more.
            return .pushed(PushOutcome(hasMore: true))
        }
        let before = disk.content.judged
        let last = changes.last { $0.dot.counter <= acknowledged }?.dot.counter ?? 0
        guard last > before else {
            try restamp(&world)
            return .pushed(PushOutcome(hasMore: true))
        }
        try disk.commit([{ $0.acknowledge(last) }], &world)
        return .pushed(PushOutcome(judged: Int(last - before), hasMore: true))
    }

    private mutating func takePage(
        _ action: SyncAction,
        _ page: SimulatedPage,
        _ world: inout SimulatedSurroundings
    ) throws(SimulatedDisk.Failure) -> SyncEvent {
        // A page that comes late, when the view is read from another place, is no news.
        guard page.start == disk.content.place else { return .pulled(action, PullOutcome(hasMore: true)) }
        if page.start.position != nil, page.start != heard {
            world.truth.blame(10, "the feed goes on at \(page.start), and was heard up to \(heard)")
        }
        let skipped = world.bug == .passesOverChanges ? 9 : nil
        try disk.commit([{ $0.take(page, skippingEach: skipped) }], &world)
        heard = page.end
        return .pulled(action, PullOutcome(count: page.items.count, hasMore: page.hasMore))
    }
}
