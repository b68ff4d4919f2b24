import Dispatch
import Glibc
import Persistence
import Synchronization
import Testing

struct ConcurrencyTests {
    private final class Counts: Sendable {
        private struct State {
            var running = 0
            var most = 0
            var done = 0
        }

        private let state = Mutex(State())

        var most: Int { state.withLock(\.most) }
        var done: Int { state.withLock(\.done) }

        func begin() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func end() {
            state.withLock { state in
                state.running -= 1
                state.done += 1
            }
        }
    }

    @Test("the pool runs at most as many calls at once as it is wide, and all of them")
    func bounded() async throws {
        let pool = BlockingPool(width: 3)
        let counts = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    try await pool.run {
                        counts.begin()
                        counts.end()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counts.most <= 3)
        #expect(counts.done == 300)
    }

    @Test("a pool that too many wait for says so, and goes on")
    func overload() async throws {
        let pool = BlockingPool(width: 1, maximumWaiting: 1)
        let gate = DispatchSemaphore(value: 0)
        let (started, startedContinuation) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = pool.run {
            startedContinuation.finish()
            gate.wait()
        }
        for await _ in started {}
        // Of two that come while the one thread is held, one finds a place and one does not.
        async let second = Self.outcome(pool, gate)
        async let third = Self.outcome(pool, gate)
        let outcomes = await [second, third]
        try await first
        #expect(outcomes.filter { $0 }.count == 1)
        #expect(try await pool.run { 7 } == 7)
    }

    /// Whether a call was run; one that was refused opens the gate for the one that waits.
    private static func outcome(_ pool: BlockingPool, _ gate: DispatchSemaphore) async -> Bool {
        do {
            try await pool.run {}
            return true
        } catch {
            gate.signal()
            return false
        }
    }

    @Test("whoever comes during a round joins the next one: many items, few rounds, each its own answer")
    func groupCommit() async throws {
        let sizes = Mutex<[Int]>([])
        let committer = GroupCommitter<Int, Int>(maximumWeight: 50) { items in
            sizes.withLock { $0.append(items.count) }
            for _ in 0..<20 { await Task.yield() }
            return items.map { $0 % 7 == 0 ? .failure(CancellationError()) : .success($0 * 2) }
        }
        let answers = await withTaskGroup(of: (Int, Int?).self) { group in
            for item in 0..<400 {
                group.addTask { (item, try? await committer.commit(item)) }
            }
            var answers: [Int: Int?] = [:]
            for await (item, answer) in group { answers[item] = answer }
            return answers
        }
        for item in 0..<400 {
            #expect(answers[item] == .some(item % 7 == 0 ? nil : item * 2))
        }
        let rounds = sizes.withLock { $0 }
        #expect(rounds.reduce(0, +) == 400)
        #expect(rounds.count == committer.rounds && rounds.count < 200)
        #expect((rounds.max() ?? 0) <= 50)
    }

    @Test("a round takes as much as its limit, in the order of arrival; what alone weighs more has one of its own")
    func roundsAreLimited() async throws {
        let rounds = Mutex<[[Int]]>([])
        let gate = AsyncStream.makeStream(of: Void.self)
        let committer = GroupCommitter<Int, Int>(maximumWeight: 10, weight: \.self) { items in
            let isFirst = rounds.withLock { rounds in
                rounds.append(items)
                return rounds.count == 1
            }
            // The first round lasts until all of the others wait.
            if isFirst { for await _ in gate.stream {} }
            return items.map(Result.success)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await committer.commit(1) }
            while committer.rounds == 0 { await Task.yield() }
            for (place, item) in [4, 6, 3, 25, 2, 7, 2].enumerated() {
                group.addTask { _ = try await committer.commit(item) }
                while committer.waitingCount <= place { await Task.yield() }
            }
            gate.continuation.finish()
            try await group.waitForAll()
        }
        #expect(rounds.withLock(\.self) == [[1], [4, 6], [3], [25], [2, 7], [2]])
    }
}

struct ConcurrentMapTests {
    @Test("Results come in the elements' order, however they are shared out", arguments: [1, 3, 16, 100])
    func order(share: Int) throws {
        #expect(try Array(0..<50).concurrentMap(by: share) { $0 * 2 } == (0..<50).map { $0 * 2 })
        #expect(try [Int]().concurrentMap(by: share) { $0 } == [])
    }

    @Test("The first element's error is thrown, once every element was tried")
    func errors() {
        struct Refusal: Error, Equatable { let element: Int }
        let tried = Mutex<Set<Int>>([])
        #expect(throws: Refusal(element: 7)) {
            try Array(0..<40).concurrentMap(by: 4) { element in
                tried.withLock { _ = $0.insert(element) }
                if element >= 7, element.isMultiple(of: 7) { throw Refusal(element: element) }
            }
        }
        #expect(tried.withLock { $0.count } == 40)
    }

    @Test(
        "Several elements are under way at once",
        .enabled(if: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1, "needs two processors")
    )
    func atOnce() throws {
        // Two that wait for each other end only when both run; other tests may hold the threads for a while.
        let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let met = try [0, 1].concurrentMap { index in
            gates[1 - index].signal()
            return gates[index].wait(timeout: .now() + 300) == .success
        }
        #expect(met == [true, true])
    }
}
