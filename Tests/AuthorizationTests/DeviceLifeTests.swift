import Authorization
import LibraryAPI
import PhotoModel
import TestSupport
import Testing

/// What a caller can reach in the library: every allowed pair of route and object.
private func reach(_ caller: Caller) -> Set<String> {
    var reach: Set<String> = []
    for route in Route.allCases {
        for object in ObjectRelation.allCases {
            if case .allow(let scope) = decide(route: route, caller: caller, object: object) {
                reach.insert("\(route) \(object) \(scope)")
            }
        }
    }
    return reach
}

/// Reach does not count what concerns the device's own identity: a revoked device may say that it wiped itself.
private func gained(by before: Caller, turning after: Caller) -> Set<String> {
    let gained = reach(after).subtracting(reach(before))
    // `own` within `everything` or `view` is less, not more.
    return gained.filter { line in
        let words = line.split(separator: " ")
        let pair = words.dropLast().joined(separator: " ")
        return !["everything", "view", "grantedAlbums"].contains { reach(before).contains("\(pair) \($0)") }
    }
}

/// Finds a device's own event that lets it do more; nil when there is none.
private func escalation(
    _ transition: (DeviceState, DeviceEvent) -> DeviceState,
    generator: inout SeededGenerator,
    steps: Int
) -> String? {
    let events: [DeviceEvent] = [.drained, .forkDetected, .graceExpired, .keyChanged, .wipeConfirmed]
    let states: [DeviceState] = [.pending, .active, .draining, .suspect, .revoked(wipe: true)]
    let decision = AccessDecision(
        addOnly: generator.pick(AccessDecision.AddOnly.allCases),
        readWrite: generator.pick(AccessDecision.ReadWrite.allCases)
    )
    func caller(_ state: DeviceState) -> Caller {
        let held = state == .pending ? AccessDecision() : decision
        return Caller(credential: .device, state: state, access: Ceiling.unlimited.clamping(held))
    }
    var state = generator.pick(states)
    for _ in 0..<min(steps, 6) {
        let event = generator.pick(events)
        let next = transition(state, event)
        if next != state, let first = gained(by: caller(state), turning: caller(next)).min() {
            return "\(event) turned \(state) into \(next), which may \(first)"
        }
        state = next
    }
    return nil
}

@Suite("A device's life")
struct DeviceLifeTests {
    private let device = DeviceID(rawValue: 7)
    private let time = WallTime(microsecondsSince1970: 0)
    private let administrator = Actor.administrator("ana")

    private func changed(_ record: DecisionRecord, _ changes: DecisionRecord.Change...) throws -> DecisionRecord {
        var record = record
        for change in changes {
            record =
                try record.proposing(change, by: administrator, at: time, reason: "test")?.recorded { _, _, _ in }
                ?? record
        }
        return record
    }

    @Test("I3: no sequence of a device's own events lets it do more")
    func monotone() {
        checkProperty("device events never raise", cases: 60) { generator, size in
            escalation({ $0.after($1) }, generator: &generator, steps: size)
        }
    }

    @Test("A wrong transition is found: a fork that resolves itself, a renewal that approves")
    func canary() {
        func wrong(_ state: DeviceState, _ event: DeviceEvent) -> DeviceState {
            switch (state, event) {
            case (.suspect, .keyChanged), (.pending, .keyChanged): .active
            default: state.after(event)
            }
        }
        let found = (UInt64(0)..<40).contains { seed in
            var generator = SeededGenerator(seed: seed)
            return escalation(wrong, generator: &generator, steps: 6) != nil
        }
        #expect(found)
    }

    @Test(
        "The transitions of the state diagram",
        arguments: [
            (DeviceState.pending, DeviceEvent.approved, DeviceState.active),
            (.active, .drainRequested, .draining), (.draining, .drainCancelled, .active),
            (.draining, .drained, .revoked(wipe: false)), (.active, .forkDetected, .suspect),
            (.draining, .forkDetected, .suspect), (.suspect, .resolved, .active), (.active, .graceExpired, .pending),
            (.suspect, .graceExpired, .suspect), (.suspect, .approved, .suspect), (.pending, .drained, .pending),
            (.active, .drained, .active), (.active, .revoked(wipe: true), .revoked(wipe: true)),
            (.revoked(wipe: true), .approved, .revoked(wipe: true)),
            (.revoked(wipe: true), .revoked(wipe: false), .revoked(wipe: true)),
            (.revoked(wipe: false), .resolved, .revoked(wipe: false)),
        ]
    )
    func transitions(_ state: DeviceState, _ event: DeviceEvent, _ expected: DeviceState) {
        #expect(state.after(event) == expected)
    }

    @Test("T15: a device changes no grant, selection, ceiling or state that is an administrator's, its own included")
    func selfGrant() {
        let changes: [DecisionRecord.Change] = [
            .answer(.all, for: [.addOnly, .readWrite]), .reset, .selection(Selection(rules: [.all([])])),
            .ceiling(.unlimited), .state(.approved), .state(.resolved), .state(.drainCancelled),
        ]
        let record = DecisionRecord(device: device, at: time)
        for change in changes {
            #expect(throws: AuthorizationError.self) {
                try record.proposing(change, by: .device(device), at: time, reason: "mine")
            }
        }
        #expect(throws: AuthorizationError.self) {
            try record.proposing(.state(.graceExpired), by: .device(DeviceID(rawValue: 8)), at: time, reason: "other's")
        }
    }

    @Test("grantVersion counts the changes, and nothing that changes nothing")
    func versions() throws {
        var record = DecisionRecord(device: device, at: time)
        record = try changed(record, .state(.approved), .answer(.all, for: [.addOnly, .readWrite]))
        #expect(record.grantVersion == 2)
        record = try changed(record, .answer(.all, for: [.addOnly, .readWrite]), .state(.approved))
        #expect(record.grantVersion == 2)
        record = try changed(record, .ceiling(Ceiling(name: "gate", limit: .addOnly)))
        #expect(record.grantVersion == 3)
        #expect(record.access == EffectiveAccess(addOnly: .authorized, readWrite: .restricted))
        record = try changed(record, .ceiling(.unlimited), .reset)
        #expect(record.access == EffectiveAccess(addOnly: .notDetermined, readWrite: .notDetermined))
        #expect(record.grantVersion == 5)
    }

    @Test("T45: without its audit entry a decision does not hold")
    func failClosed() throws {
        struct DiskFull: Error {}
        let record = DecisionRecord(device: device, at: time)
        let change = try record.proposing(.state(.approved), by: administrator, at: time, reason: "ok")
        let proposed = try #require(change)
        let error = #expect(throws: AuthorizationError.self) { try proposed.recorded { _, _, _ in throw DiskFull() } }
        #expect(error?.code == .storageFull)
    }

    @Test("Back after the grace: pending shows as undecided, and approval restores what was decided")
    func graceKeepsDecisions() throws {
        var record = try changed(
            DecisionRecord(device: device, at: time),
            .state(.approved),
            .answer(.all, for: [.addOnly, .readWrite]),
            .state(.graceExpired)
        )
        #expect(record.access.readWrite == .notDetermined)
        record = try changed(record, .state(.approved))
        #expect(record.access.readWrite == .authorized)
    }

    @Test("I4: a suspect's uploads go to quarantine, and it reads nothing")
    func suspect() {
        let access = CallerKind.full.caller.access
        let caller = Caller(credential: .device, state: .suspect, access: access)
        for entry in RouteTable.entries where (9...35).contains(entry.row) && entry.row != 14 {
            let verdict = decide(route: entry.route, caller: caller, object: .own)
            if entry.row <= 13 {
                #expect(verdict == .quarantine(entry.row == 9 ? .everything : .own))
            } else {
                #expect(verdict == .deny(.identitySuspect))
            }
        }
    }

    @Test("I4: a draining device delivers what it announced and neither adds nor reads")
    func draining() {
        let caller = Caller(credential: .device, state: .draining, access: CallerKind.full.caller.access)
        #expect(decide(route: .createAsset, caller: caller, object: .own).isAllowed)
        #expect(decide(route: .createAsset, caller: caller, object: .collection) == .allow(.own))
        for object in [ObjectRelation.nonexistent, .outside, .inView, .inGrantedAlbum] {
            #expect(decide(route: .createAsset, caller: caller, object: object).denial == .draining)
            #expect(decide(route: .createBatch, caller: caller, object: object).denial == .draining)
        }
        #expect(decide(route: .commitAsset, caller: caller, object: .own).isAllowed)
        #expect(decide(route: .asset, caller: caller, object: .own).denial?.code == .insufficientScope)
    }

    @Test(
        "I7: mixed states: saving answers by addOnly, reading by readWrite",
        arguments: [
            (
                AuthorizationStatus.denied, AuthorizationStatus.notDetermined, ErrorCode.denied,
                ErrorCode.notDetermined
            ),
            (.notDetermined, .denied, .notDetermined, .denied),
            (.notDetermined, .restricted, .notDetermined, .restricted),
        ]
    )
    func mixed(
        _ addOnly: AuthorizationStatus,
        _ readWrite: AuthorizationStatus,
        _ saving: ErrorCode,
        _ reading: ErrorCode
    ) {
        let caller = Caller(credential: .device, access: EffectiveAccess(addOnly: addOnly, readWrite: readWrite))
        for entry in RouteTable.entries where (9...32).contains(entry.row) && entry.row != 14 {
            let expected = entry.row <= 13 || entry.row == 15 ? saving : reading
            #expect(decide(route: entry.route, caller: caller, object: .own).denial?.code == expected)
        }
    }

    @Test("I2: the add caller's refusal names the readWrite status and is the same for all objects")
    func addIsTold() {
        let denial = decide(route: .asset, caller: CallerKind.add.caller, object: .nonexistent).denial
        #expect(denial == .scope(needs: .limited, readWrite: .denied))
    }

    @Test("T5: an expired certificate reaches rows 1 to 5 only; T6: a revoked key renews nothing")
    func expiredAndRevoked() {
        for entry in RouteTable.entries where entry.row <= 40 {
            let verdict = decide(route: entry.route, caller: CallerKind.expired.caller, object: .own)
            #expect(verdict.isAllowed == (entry.row <= 5))
        }
        let renewal = decide(route: .renewIdentity, caller: CallerKind.revoked.caller, object: .own)
        #expect(renewal.denial?.code == .identityRevoked)
    }

    @Test("T22: a device that only adds gets the same answer for a photo that others have and one that nobody has")
    func noProbing() {
        for route in [Route.createAsset, .checkHashes, .asset] {
            let answers = [ObjectRelation.outside, .nonexistent].map {
                decide(route: route, caller: CallerKind.add.caller, object: $0)
            }
            #expect(answers[0] == answers[1])
        }
    }

    @Test("T23: every refusal has words for its cause and the next step")
    func refusalsSpeak() {
        for route in Route.allCases {
            for caller in Caller.everyDevice + [.anonymous, .administrator] {
                let verdict = decide(route: route, caller: caller, object: .outside)
                guard let denial = verdict.denial else { continue }
                let words = Explanation(verdict)
                guard words.cause.isEmpty || words.next.isEmpty else { continue }
                Issue.record("\(route): \(denial) is silent")
            }
        }
    }

    @Test("002.4, 004.2: --explain has its own words for all eleven callers", arguments: CallerKind.allCases)
    func explains(_ kind: CallerKind) {
        let words = Explanation(kind.caller)
        #expect(!words.cause.isEmpty && !words.next.isEmpty)
        let others = CallerKind.allCases.filter { $0 != kind && !($0 == .limited || $0 == .limitedAlbums) }
        #expect(!others.contains { Explanation($0.caller) == words })
    }

    @Test("A device that has asked is not told to ask: an administrator answers")
    func explainsQuestions() {
        let saving = Caller(
            credential: .device,
            access: EffectiveAccess(addOnly: .authorized, readWrite: .notDetermined, mayPick: true)
        )
        #expect(Explanation(saving).next == "run: tintype-agent authorize --read-write")
        let undecided = CallerKind.undetermined.caller
        for (caller, asked) in [(saving, AccessLevel.readWrite), (undecided, .readWrite), (undecided, .addOnly)] {
            let words = Explanation(caller, asked: [asked])
            #expect(words.next == "asked; an administrator runs: tintypectl request list")
            #expect(words.cause.contains(asked.rawValue), "\(words)")
        }
        #expect(Explanation(saving, asked: [.addOnly]) == Explanation(saving))
    }
}
