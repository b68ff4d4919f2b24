import Glibc
import MediaWorker
import Testing

struct HostileFileTests {
    @Test("A confined worker opens no socket and no file, starts nothing, and signals nobody")
    func confinement() async throws {
        let fixture = PoolFixture()
        let output = try await fixture.order("probe")
        let confinement = try #require(fixture.pool.confinement)
        #expect(confinement.isComplete, "\(confinement)")
        #expect(confinement.isFiltered)
        let numbers = output.facts.codec.split(separator: ".").compactMap { Int32($0) }
        #expect(numbers.count == 10)
        #expect(numbers.allSatisfy { $0 == EPERM || $0 == EACCES }, "\(numbers)")
    }

    @Test(
        "A file that kills, silences or corrupts a worker costs that worker and nothing else",
        arguments: [
            ("crash", MediaWorkerError.Code.died, "signal 11"), ("exit", .died, "exit status 0"),
            ("eat", .died, "signal"), ("flood", .died, "signal 25"), ("spin", .died, "signal"),
            ("huge", .protocolBroken, "impossible facts"), ("words", .protocolBroken, "impossible facts"),
            ("other", .protocolBroken, "not what was asked for"), ("chatter", .protocolBroken, "longer than allowed"),
        ]
    )
    func death(order: String, code: MediaWorkerError.Code, words: String) async throws {
        let fixture = PoolFixture { limits in
            limits.processorSeconds = 1
            limits.memoryByteCount = 256 << 20
            limits.outputByteCount = 8 << 20
        }
        let failure = try #require(await fixture.failure(of: order))
        #expect(failure.code == code, "\(failure)")
        #expect(failure.message.contains(words), "\(failure)")
        #expect(failure.isFatalToWorker)
        let output = try await fixture.order("fine")
        #expect(output.pictures.map(\.bytes) == [[0xFF, 0xD8, 0xFF, 0xD9]])
        let counts = fixture.pool.counts
        #expect([counts.started, counts.died, counts.succeeded] == [2, 1, 1])
    }

    @Test("A worker that hangs is killed when its time is over")
    func hang() async throws {
        let fixture = PoolFixture { $0.wallSeconds = 1 }
        let failure = try #require(await fixture.failure(of: "hang"))
        // Where the pool waits for a processor, the worker's own alarm comes first.
        #expect(failure.code == .timedOut || failure.message.contains("signal 14"), "\(failure)")
        let counts = fixture.pool.counts
        #expect([counts.died, counts.timedOut] == [1, failure.code == .timedOut ? 1 : 0])
    }

    @Test("Whoever stops the workers waits for none of them, and no file is blamed; nothing is started afterwards")
    func stopped() async throws {
        let fixture = PoolFixture { $0.wallSeconds = 3600 }
        async let hanging = fixture.error(of: "hang")
        while fixture.pool.counts.started == 0 { await Task.yield() }
        fixture.pool.stop()
        #expect(await hanging is CancellationError)
        #expect(await fixture.error(of: "fine") is CancellationError)
        let counts = fixture.pool.counts
        #expect([counts.started, counts.died, counts.succeeded] == [1, 0, 0])
    }

    @Test("A file that is refused leaves the worker alive, and its words cannot do harm")
    func refusal() async throws {
        let fixture = PoolFixture()
        let failure = try #require(await fixture.failure(of: "refuse"))
        #expect(failure.code == .refused)
        #expect(failure.failure?.code == .damaged)
        #expect(failure.message == "the file is bad")
        _ = try await fixture.order("fine")
        #expect(fixture.pool.counts.started == 1)
    }

    @Test("One worker serves many files; one that has nothing to do can be retired and comes back")
    func reuse() async throws {
        let fixture = PoolFixture()
        for _ in 0..<20 { _ = try await fixture.order("fine") }
        #expect(fixture.pool.counts.started == 1)
        fixture.pool.retireIdle()
        _ = try await fixture.order("fine")
        #expect(fixture.pool.counts.started == 2)
    }

    @Test("Workers that die one after the other are started again later and later")
    func backingOff() async throws {
        let fixture = PoolFixture()
        for _ in 0..<2 { #expect(await fixture.failure(of: "exit")?.code == .died) }
        let refused = try #require(await fixture.failure(of: "fine"))
        #expect(refused.code == .backingOff)
        #expect(refused.retryAfter == .milliseconds(100))
        fixture.clock.advance(by: .milliseconds(100))
        _ = try await fixture.order("fine")
        #expect(await fixture.failure(of: "exit")?.code == .died, "a success takes the delay away")
        _ = try await fixture.order("fine")
    }

    @Test("A program that is not there, or is another one, is told apart from a bad file")
    func missing() async throws {
        for program in ["no-such-program", "../../../../../../../../bin/true"] {
            let failure = try #require(await PoolFixture(program: program).failure(of: "fine"))
            #expect(failure.code == .notStarted, "\(failure)")
            #expect(!failure.isFatalToWorker)
        }
    }

    @Test("Descriptors neither leak nor run out over many dead workers")
    func descriptors() async throws {
        let fixture = PoolFixture()
        for order in ["exit", "refuse", "fine", "crash", "other", "fine"] {
            _ = await fixture.failure(of: order)
            fixture.clock.advance(by: .seconds(60))
        }
        #expect(Self.openDescriptors(named: fixture.name) == 0)
    }

    private static func openDescriptors(named name: String) -> Int {
        (0..<1024).count { number in
            var text = [CChar](repeating: 0, count: 256)
            let count = unsafe readlink("/proc/self/fd/\(number)", &text, text.count - 1)
            return String(decoding: text.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self).contains(
                name
            )
        }
    }
}
