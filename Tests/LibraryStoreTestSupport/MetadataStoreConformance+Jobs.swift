import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

extension MetadataStoreConformance {
    static let jobs = [
        Promise(name: "a commit owes its media a job, that one worker has until its lease ends or it is let go") {
            suite in
            let (world, store) = try await suite.store()
            let id = try await world.save(to: store).receipt.receipt.assetID
            #expect(try await store.jobs(nil, after: nil, limit: 9).jobs.count == 1)
            func attempts() async throws -> [Int] {
                try await store.claimJobs(limit: 9, lease: .seconds(60)).map(\.attempts)
            }
            #expect(try await attempts() == [1])
            #expect(try await attempts() == [])
            world.advance(days: 1)
            #expect(try await attempts() == [2])
            #expect(try await attempts() == [])
            try await store.releaseJobs()
            #expect(try await attempts() == [3])
            #expect(try await store.raiseJob(for: id)?.state == .waiting)
        },
        Promise(name: "a file at which two workers died is bad: no retry of all takes it, only one that names it") {
            suite in
            let (world, store) = try await suite.store()
            let id = try await world.save(to: store).receipt.receipt.assetID
            let audit = AuditEntry.Content(.jobsControl, by: "administrator ana")
            var states: [JobState] = []
            for _ in 0..<2 {
                world.advance(days: 1)
                let job = try #require(try await store.claimJobs(limit: 1, lease: .seconds(60)).first)
                states.append(try await store.fail(job.id, JobFailure(.workerDied, "signal 11")))
            }
            #expect(states == [.waiting, .bad])
            world.advance(days: 400)
            #expect(try await store.claimJobs(limit: 1, lease: .seconds(60)).isEmpty)
            #expect(try await store.retryJobs(nil, audit: audit) == 0)
            let job = try #require(try await store.jobs(.bad, after: nil, limit: 10).jobs.first)
            #expect(job.workerDeaths == 2 && job.reason == "signal 11")
            #expect(try await store.job(of: job.digest) == job)
            #expect(try await store.raiseJob(for: id)?.state == .bad, "asking for it changes nothing")
            #expect(try await store.retryJobs(job.id, audit: audit) == 1)
            #expect(try await store.claimJobs(limit: 1, lease: .seconds(60)).count == 1)
            #expect(try await store.lastAuditEntry()?.content.event == .jobsControl)
        },
        Promise(name: "while others stand aside, only what somebody asked for is taken") { suite in
            let (world, store) = try await suite.store()
            let manifests = (0..<3).map { _ in world.manifest() }
            for manifest in manifests { try await world.save(manifest, to: store) }
            let digests = manifests.map(\.resources[0].digest)
            func claim(onlyAwaited: Bool) async throws -> [ContentDigest] {
                try await store.claimJobs(limit: 9, lease: .seconds(60), onlyAwaited: onlyAwaited)
                    .map(\.address.digest)
            }
            #expect(try await claim(onlyAwaited: true) == [])
            _ = try await store.raiseJob(for: manifests[1].id)
            #expect(try await claim(onlyAwaited: true) == [digests[1]])
            #expect(try await claim(onlyAwaited: false) == [digests[0], digests[2]])
        },
        Promise(name: "what was made of an original that is purged is found, and what is missing is owed again") {
            suite in
            let (world, store) = try await suite.store()
            let manifest = world.manifest()
            try await world.save(manifest, to: store)
            let digest = manifest.resources[0].digest
            try await work(on: digest, in: store)
            #expect(try await store.orphanedDerivatives(limit: 10) == [])
            try await store.removeDerivatives([digest])
            #expect(try await store.fillJobs() == 1)
            #expect(try await store.fillJobs() == 0)
            try await work(on: digest, in: store)
            _ = try await store.trash(manifest.id, in: .everything, by: suite.caller)
            _ = try await store.purge(manifest.id, by: .administrator("ana"))
            #expect(try await store.orphanedDerivatives(limit: 10) == [digest])
        },
    ]

    /// Does the one job that waits.
    private static func work(on digest: ContentDigest, in store: any MetadataStore) async throws {
        let job = try #require(try await store.claimJobs(limit: 1, lease: .seconds(60)).first)
        let made = Derivative(
            digest: job.address.digest,
            pixelSize: PixelSize(width: 4000, height: 3000),
            codec: "jpeg",
            byteCounts: [100, 2000]
        )
        for result in await store.finish([FinishedJob(id: job.id, derivative: made)]) { try result.get() }
        #expect(try await store.derivative(digest) == made)
    }
}
