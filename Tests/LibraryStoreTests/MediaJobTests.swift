import Authorization
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

struct MediaJobTests {
    private let audit = AuditEntry.Content(.jobsControl, by: "administrator ana")

    private func derivative(_ digest: ContentDigest) -> Derivative {
        Derivative(
            digest: digest,
            pixelSize: PixelSize(width: 4000, height: 3000),
            codec: "jpeg",
            thumbHash: ThumbHash(bytes: [1, 2, 3, 4, 5]),
            byteCounts: [100, 2000]
        )
    }

    @Test("A commit owes its original one job; the same bytes in another asset share it; nothing is owed twice")
    func enqueued() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [40, 30])
        _ = try await store.create(manifest, by: .device(StoreFixture.device))
        #expect(try await store.metadata.jobs(nil, after: nil, limit: 10).jobs.isEmpty, "not before the commit")
        try await fixture.save(manifest, bytes, to: store)
        let page = try await store.metadata.jobs(nil, after: nil, limit: 10)
        #expect(page.jobs.map(\.digest) == [manifest.resources[0].digest])
        #expect(page.counts == ["waiting": 1])
        var edit = AssetEdit()
        edit.title = "gate"
        _ = try await store.metadata.edit(manifest.id, edit, in: .everything, by: .administrator("ana"))
        #expect(try await store.metadata.jobs(nil, after: nil, limit: 10).jobs.count == 1)
    }

    @Test("Jobs survive a restart; one that was taken is nobody else's until its lease ends or the process does")
    func restart() async throws {
        let fixture = try StoreFixture()
        var store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let first = try #require(try await store.metadata.claimJobs(limit: 5, lease: .seconds(60)).first)
        #expect(first.attempts == 1 && !first.isMovie)
        #expect(try await store.metadata.claimJobs(limit: 5, lease: .seconds(60)).isEmpty)
        fixture.clock.advance(days: 1)
        #expect(try await store.metadata.claimJobs(limit: 5, lease: .seconds(60)).map(\.attempts) == [2])
        store.close()
        store = try await fixture.reopen()
        #expect(try await store.metadata.claimJobs(limit: 5, lease: .seconds(60)).isEmpty)
        try await store.metadata.releaseJobs()
        #expect(try await store.metadata.claimJobs(limit: 5, lease: .seconds(60)).map(\.id) == [first.id])
    }

    @Test("T93: what was found about one picture is told to many assets that have it in turns of the writer")
    func sharedOriginal() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [40])
        for index in 0..<10 {
            var twin = manifest
            twin.id = AssetID(rawValue: 1000 + UInt128(index))
            try await fixture.save(twin, bytes, to: store)
        }
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let told = Mutex<[[Int]]>([])
        // The first turn is shared with others', and not watched.
        let watched = try await metadata.watched(fixture) {
            let page = try await metadata.page(AssetQuery(options: FetchOptions(), limit: 100), in: .everything)
            let jobs = try await metadata.jobs(nil, after: nil, limit: 10).jobs.count
            let count = page.assets.count { $0.thumbHash != nil }
            told.withLock { $0.append([count, jobs]) }
        }
        let job = try #require(try await metadata.claimJobs(limit: 5, lease: .seconds(60)).first)
        let made = derivative(job.address.digest)
        try await watched.finish([FinishedJob(id: job.id, derivative: made)])[0].get()
        #expect(told.withLock(\.self) == [[8, 1], [10, 0]], "the job ends with the last turn")
    }

    @Test("T124: a thumbnail that is asked for again and again before it is made takes one turn of the writer")
    func raisedOnce() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let turns = Mutex(0)
        let watched = try await metadata.watched(fixture) { turns.withLock { $0 += 1 } }
        for _ in 0..<3 {
            let job = try await watched.raiseJob(for: manifest.id)
            #expect(job?.state == .waiting && job?.priority == 1)
        }
        #expect(turns.withLock(\.self) == 1)
        let job = try #require(try await watched.claimJobs(limit: 1, lease: .seconds(60)).first)
        try await watched.finish([FinishedJob(id: job.id, derivative: derivative(job.address.digest))])[0].get()
        try await watched.removeDerivatives([job.address.digest])
        #expect(try await watched.raiseJob(for: manifest.id)?.state == .waiting, "made again")
    }

    @Test("What was made is told with the asset and in the change feed, also of assets that come later")
    func finished() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let job = try #require(try await store.metadata.claimJobs(limit: 1, lease: .seconds(60)).first)
        let before = try await store.metadata.identity().lastChange
        let made = derivative(job.address.digest)
        try await store.metadata.finish([FinishedJob(id: job.id, derivative: made)])[0].get()
        let asset = try #require(try await store.metadata.asset(manifest.id, in: .everything))
        #expect(asset.thumbHash == made.thumbHash)
        #expect(asset.pixelSize == made.pixelSize)
        #expect(try await store.metadata.identity().lastChange > before)
        #expect(try await store.metadata.jobs(nil, after: nil, limit: 10).jobs.isEmpty)
        #expect(try await store.metadata.derivative(job.address.digest) == made)
        #expect(try await store.metadata.job(of: job.address.digest) == nil)
        let again = fixture.capture()
        let resource = AssetResource(
            id: again.manifest.resources[0].id,
            type: .photo,
            digest: job.address.digest,
            byteCount: manifest.resources[0].byteCount,
            contentType: "image/jpeg"
        )
        let twin = AssetManifest(
            id: again.manifest.id,
            mediaType: .image,
            captureTime: again.manifest.captureTime,
            resources: [resource]
        )
        try await fixture.save(twin, bytes, by: .device(StoreFixture.otherDevice), to: store)
        #expect(try await store.metadata.asset(twin.id, in: .everything)?.thumbHash == made.thumbHash)
        #expect(try await store.metadata.jobs(nil, after: nil, limit: 10).jobs.isEmpty)
    }

    @Test("A queue that is held gives no job, also after a restart; the most urgent job comes first when it goes on")
    func paused() async throws {
        let fixture = try StoreFixture()
        var store = try await fixture.create()
        var digests: [ContentDigest] = []
        var last: AssetID?
        for _ in 0..<3 {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, to: store)
            digests.append(manifest.resources[0].digest)
            last = manifest.id
        }
        try await store.metadata.setJobsPaused(true, audit: audit)
        _ = try await store.metadata.raiseJob(for: #require(last))
        store.close()
        store = try await fixture.reopen()
        #expect(try await store.metadata.jobs(nil, after: nil, limit: 1).isPaused)
        #expect(try await store.metadata.claimJobs(limit: 9, lease: .seconds(60)).isEmpty)
        try await store.metadata.setJobsPaused(false, audit: audit)
        let taken = try await store.metadata.claimJobs(limit: 9, lease: .seconds(60)).map(\.address.digest)
        #expect(taken == [digests[2], digests[0], digests[1]])
    }

    @Test(
        "What becomes of a failure",
        arguments: [
            (JobFailure.Cause.refused, 1, 0, JobState.dead, 1, 0, Duration.zero),
            (.workerDied, 1, 0, .waiting, 1, 1, .seconds(10)), (.workerDied, 2, 1, .bad, 2, 2, .zero),
            (.system, 1, 0, .waiting, 1, 0, .seconds(10)), (.system, 4, 1, .waiting, 4, 1, .seconds(80)),
            (.system, 7, 0, .waiting, 7, 0, .seconds(640)), (.system, 8, 0, .dead, 8, 0, .seconds(1280)),
            (.notTried, 1, 0, .waiting, 0, 0, .seconds(1)), (.notTried, 8, 1, .waiting, 7, 1, .seconds(1)),
        ] as [(JobFailure.Cause, Int, Int, JobState, Int, Int, Duration)]
    )
    func policy(
        cause: JobFailure.Cause,
        attempts: Int,
        deaths: Int,
        state: JobState,
        attemptsAfter: Int,
        deathsAfter: Int,
        delay: Duration
    ) {
        let verdict = JobPolicy.verdict(cause, attempts: attempts, deaths: deaths)
        #expect(
            verdict == JobPolicy.Verdict(state: state, attempts: attemptsAfter, deaths: deathsAfter, delay: delay)
        )
    }

    @Test("A picture that was made is read whole or not at all, and goes with all its kinds")
    func files() throws {
        let directory = try TemporaryDirectory()
        let layout = LibraryLayout(root: directory.path)
        let files = PosixFileSystem()
        try files.createDirectories(layout.derivatives)
        let store = DerivativeStore(layout, in: files)
        let digest = ContentHasher.digest([1])
        let jpeg: [UInt8] = [0xFF, 0xD8, 7, 7, 0xFF, 0xD9]
        #expect(try store.read(.small, of: digest, byteCount: nil) == nil)
        for kind in DerivativeKind.allCases { try store.write(jpeg, as: kind, of: digest) }
        #expect(try store.read(.smallWebP, of: digest, byteCount: nil) == nil, "no WebP")
        let webP = Array("RIFF".utf8) + [6, 0, 0, 0] + Array("WEBP".utf8) + [1, 2]
        try store.write(webP, as: .smallWebP, of: digest)
        #expect(try store.read(.smallWebP, of: digest, byteCount: nil) == webP)
        try store.write(webP.dropLast(), as: .smallWebP, of: digest)
        #expect(try store.read(.smallWebP, of: digest, byteCount: nil) == nil, "shorter than it says")
        try store.write(jpeg, as: .small, of: digest)
        #expect(try store.read(.small, of: digest, byteCount: 6) == jpeg)
        #expect(try store.read(.small, of: digest, byteCount: 7) == nil)
        try store.write([0xFF, 0xD8, 0, 0, 0, 0], as: .large, of: digest)
        #expect(try store.read(.large, of: digest, byteCount: 6) == nil, "the end that a power cut took")
        try store.remove(digest)
        for kind in DerivativeKind.allCases { #expect(try store.read(kind, of: digest, byteCount: nil) == nil) }
    }
}
