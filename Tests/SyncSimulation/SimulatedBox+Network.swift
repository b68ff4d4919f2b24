import LibraryAPI
import PhotoModel
import Replication
import SyncEngine
import TestSupport

// What goes between a box and the library, and what the network makes of it.

extension SimulatedBox {
    /// What a step came to.
    enum Step {
        /// Only time can help.
        case nothing
        /// Something was sent, or the box fell over: there is no event yet.
        case begun(SyncAction?)
        case done(SyncAction, SyncEvent)
    }

    /// Does one thing that is under way, in any order.
    mutating func step(_ world: inout SimulatedSurroundings) -> Step {
        if !unfinished.isEmpty, world.isQuiet || world.generator.oneIn(3) {
            finishCaptures(&world)
            wakeUp(world.now)
        }
        if let index = replays.firstIndex(where: { $0.due <= world.now }) {
            _ = ask(replays.remove(at: index).request, arrived: 1, &world)
            return .begun(nil)
        }
        waiting += machine.next(now: world.now, minuteOfDay: Self.minuteOfDay(world.now))
        let due = answers.indices.filter { answers[$0].due <= world.now }
        if !due.isEmpty, waiting.isEmpty || world.generator.oneIn(2) {
            let arrived = answers.remove(at: world.generator.pick(due))
            return take(arrived.action, arrived.request, arrived.answer, &world)
        }
        if reading != nil, waiting.isEmpty || world.generator.oneIn(3) { return doLocally(.load, &world) }
        guard !waiting.isEmpty else { return .nothing }
        return begin(waiting.remove(at: world.generator.below(waiting.count)), &world)
    }

    /// When it wants to be looked at again; like `SyncSession`, it waits for what is under way before anything else.
    func wake(_ now: Duration) -> Duration {
        let next = (answers.lazy.map(\.due).min(), replays.lazy.map(\.due).min())
        let wake = machine.wake(now: now, minuteOfDay: Self.minuteOfDay(now))
        let own = machine.isQuiet ? wake : next.0 ?? wake
        return [own, next.0, next.1].compactMap(\.self).min() ?? own
    }

    /// The world begins at midnight.
    private static func minuteOfDay(_ now: Duration) -> Int {
        Int(now.components.seconds / 60) % AllowedMinutes.perDay
    }

    mutating func tick(_ now: Duration) { machine.handle(.ticked, now: now) }

    /// The library fell over: who waits for it learns that the connection is gone.
    mutating func loseAnswers(_ world: inout SimulatedSurroundings) {
        let lost = answers
        answers = []
        for answer in lost { fail(answer.action, .noAnswer("the library went away"), &world) }
    }

    @discardableResult
    private mutating func fail(
        _ action: SyncAction,
        _ failure: SyncFailure,
        _ world: inout SimulatedSurroundings
    ) -> Step {
        let event = SyncEvent.failed(action, failure)
        machine.handle(event, now: world.now)
        return .done(action, event)
    }

    private mutating func begin(_ action: SyncAction, _ world: inout SimulatedSurroundings) -> Step {
        if case .append(let append) = action, append.offset < promised[append.uploadID] ?? 0 {
            world.truth.blame(2, "bytes were sent again that the library had promised to keep")
        }
        // When the queue has been read, the machine may know more by then.
        if case .load = action, world.generator.oneIn(2) {
            reading = disk.content.owed
            return .begun(action)
        }
        if action.isLocal { return doLocally(action, &world) }
        guard let request = request(for: action, world) else {
            // There is nothing left to send.
            let event: SyncEvent =
                switch action {
                case .describe(let asset): .committed(asset)
                case .push: .pushed(PushOutcome())
                case .compare: .compared(0)
                default: .failed(action, .damaged("the bytes are not the captured ones"))
                }
            machine.handle(event, now: world.now)
            return .done(action, event)
        }
        if link.cutUntil > world.now, !world.isQuiet { return fail(action, .noAnswer("the network is cut"), &world) }
        if link.halfOpenUntil > world.now, !world.isQuiet {
            _ = ask(request, arrived: 1, &world)
            return fail(action, .noAnswer("no answer came"), &world)
        }
        guard !world.isQuiet, world.generator.oneIn(link.trouble) else {
            return take(action, request, ask(request, arrived: 1, &world), &world)
        }
        return send(action, request, &world)
    }

    /// Sends with trouble: whatever a network, a proxy and a library can do to one request.
    private mutating func send(
        _ action: SyncAction,
        _ request: SimulatedRequest,
        _ world: inout SimulatedSurroundings
    ) -> Step {
        let trouble = world.generator.pick([
            SimulatedFault.requestLost, .cutInHead, .cutInBody, .answerLost, .answerCut, .deliveredTwice, .replayed,
            .answerLate, .libraryRefuses,
        ])
        world.faults.note(trouble)
        switch trouble {
        case .cutInBody:
            _ = ask(request, arrived: Double(world.generator.below(100)) / 100, &world)
            return fail(action, .noAnswer("the connection was cut"), &world)
        case .answerLost:
            _ = ask(request, arrived: 1, &world)
            return fail(action, .noAnswer("the answer was lost"), &world)
        case .answerCut:
            let answer = ask(request, arrived: 1, &world)
            if world.bug == .takesHalfPages, case .page(let page) = answer, page.whole == nil {
                _ = try? disk.commit([{ $0.place = page.end }], &world)
            }
            return fail(action, .noAnswer("the answer was cut"), &world)
        case .deliveredTwice:
            _ = ask(request, arrived: 1, &world)
            return take(action, request, ask(request, arrived: 1, &world), &world)
        case .replayed:
            replays.append((world.now + .seconds(world.generator.below(4000)), request))
            return take(action, request, ask(request, arrived: 1, &world), &world)
        case .answerLate:
            let due = world.now + .milliseconds(world.generator.below(60_000))
            let answer = ask(request, arrived: 1, &world)
            answers.append(Pending(due: due, action: action, request: request, answer: answer))
            return .begun(action)
        case .libraryRefuses:
            let code = world.generator.pick([ErrorCode.unavailable, .internalError, .slowDown, .storageFull])
            let seconds = world.generator.oneIn(2) ? 3 : nil
            return fail(action, .refused(ProblemDetails(code, "", retryAfterSeconds: seconds)), &world)
        default:
            return fail(action, .noAnswer("the request was lost"), &world)
        }
    }

    /// The library's side of a request of whose body a part arrived.
    func ask(
        _ request: SimulatedRequest,
        arrived: Double,
        _ world: inout SimulatedSurroundings
    ) -> SimulatedResponse {
        // A body that did not come whole is nothing, but where bytes are counted or framed.
        switch request {
        case .append, .batch: break
        default: if arrived < 1 { return .nothing }
        }
        var call = SimulatedLibrary.Call(device: device, now: world.now, arrived: arrived, bug: world.bug)
        switch request {
        case .commit, .batch:
            if world.happens(.libraryKilledWhilePublishing, oneIn: 60) { call.killedAfter = world.generator.below(4) }
        default: break
        }
        let answer = world.library.answer(request, call, &world.truth)
        if case .nothing = answer { world.library.kill() }
        return answer
    }

    /// What an action sends; nil where there is nothing left of it.
    func request(for action: SyncAction, _ world: SimulatedSurroundings) -> SimulatedRequest? {
        let record = disk.content
        switch action {
        case .contact: return .contact(contact, ticket: record.ticket, follows: record.place)
        case .authorize, .awaitDecision, .request: return .authorize
        case .push:
            let changes = Array(record.waiting.prefix(3))
            return changes.isEmpty ? nil : .push(record.author.replica, after: record.judgedHistory, changes)
        case .pull: return .pull(record.place)
        case .batch(let assets):
            return .batch(record.owed.filter { assets.contains($0.id) && !world.truth.rotten.contains($0.id) })
        case .describe(let asset):
            return record.owed.first { $0.id == asset }.flatMap { .describe($0) }
        case .position(_, let upload): return .position(upload)
        case .append(let append):
            return .append(append, isRotten: world.truth.rotten.contains(append.assetID))
        case .commit(let asset): return .commit(asset)
        case .load, .compare, .hold, .release, .reject: return nil
        }
    }
}
