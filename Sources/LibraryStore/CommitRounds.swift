import LibraryAPI
import Persistence
import PhotoModel

/// Commits in rounds: all publications of a round share the directories' syncs, all rows one transaction.
///
/// Taking content out goes through the same rounds, so that nothing is published and taken out at the same time.
final class CommitRounds: Sendable {
    /// What a round takes.
    enum Work: Sendable {
        /// Publish, then make visible.
        case commit([Publication], CommitRequest)
        /// Take out content that nothing wants, or that is damaged.
        case quarantine(ContentAddress, isDamaged: Bool, reason: String, at: WallTime)
    }

    /// What came of it.
    enum Outcome: Sendable {
        /// The asset is visible.
        case committed(CommitAnswer)
        /// The content is in quarantine; false when it is wanted again, or was not there.
        case quarantined(Bool)
    }

    private let committer: GroupCommitter<Work, Outcome>

    init(metadata: any MetadataStore, content: any ContentStore, blocking: BlockingPool, maximumCount: Int) {
        committer = GroupCommitter(maximumCount: maximumCount) { works in
            await Self.perform(works, metadata, content, blocking)
        }
    }

    var rounds: Int { committer.rounds }

    func commit(_ publications: [Publication], _ request: CommitRequest) async throws -> CommitAnswer {
        guard case .committed(let answer) = try await committer.commit(.commit(publications, request)) else {
            preconditionFailure("a commit is answered by a commit")
        }
        return answer
    }

    /// Takes content out.
    ///
    /// - Parameters:
    ///   - address: where it is.
    ///   - isDamaged: whether it goes even though rows want it.
    ///   - reason: why, in words.
    ///   - time: when.
    /// - Returns: whether it is in quarantine now.
    /// - Throws: what rows or files say.
    func quarantine(
        _ address: ContentAddress,
        isDamaged: Bool = false,
        reason: String,
        at time: WallTime
    ) async throws -> Bool {
        let work = Work.quarantine(address, isDamaged: isDamaged, reason: reason, at: time)
        guard case .quarantined(let isOut) = try await committer.commit(work) else {
            preconditionFailure("a quarantine is answered by a quarantine")
        }
        return isOut
    }

    private static func perform(
        _ works: [Work],
        _ metadata: any MetadataStore,
        _ content: any ContentStore,
        _ blocking: BlockingPool
    ) async -> [Result<Outcome, any Error>] {
        var results: [Result<Outcome, any Error>] = works.map { _ in .failure(CancellationError()) }
        var publications: [Publication] = []
        var ranges: [(index: Int, range: Range<Int>, request: CommitRequest)] = []
        for (index, work) in works.enumerated() {
            guard case .commit(let parts, let request) = work else { continue }
            ranges.append((index, publications.count..<publications.count + parts.count, request))
            publications += parts
        }
        let published = await publish(publications, content, blocking)
        var ready: [(index: Int, request: CommitRequest)] = []
        for (index, range, request) in ranges {
            do {
                for part in published[range] { try part.get() }
                ready.append((index, request))
            } catch {
                results[index] = .failure(error)
            }
        }
        if !ready.isEmpty {
            for ((index, _), answer) in zip(ready, await metadata.commit(ready.map(\.request))) {
                results[index] = answer.map { .committed($0) }
            }
        }
        for (index, work) in works.enumerated() {
            guard case .quarantine(let address, let isDamaged, let reason, let time) = work else { continue }
            do {
                var mayGo = isDamaged
                if !mayGo { mayGo = try await metadata.wanted([address.digest]).isEmpty }
                var isOut = false
                if mayGo { isOut = try await takeOut(address, reason, time, metadata, content, blocking) }
                results[index] = .success(.quarantined(isOut))
            } catch {
                results[index] = .failure(error)
            }
        }
        return results
    }

    private static func publish(
        _ publications: [Publication],
        _ content: any ContentStore,
        _ blocking: BlockingPool
    ) async -> [Result<Void, any Error>] {
        guard !publications.isEmpty else { return [] }
        do {
            return try await blocking.uncancelled { content.publish(publications) }
        } catch {
            return publications.map { _ in .failure(error) }
        }
    }

    private static func takeOut(
        _ address: ContentAddress,
        _ reason: String,
        _ time: WallTime,
        _ metadata: any MetadataStore,
        _ content: any ContentStore,
        _ blocking: BlockingPool
    ) async throws -> Bool {
        let name = try await blocking.uncancelled {
            try content.byteCount(address) == nil ? nil : try content.quarantine(address)
        }
        guard let name else { return false }
        try await metadata.addQuarantined(
            QuarantinedContent(digest: address.digest, fileName: name, reason: reason, since: time)
        )
        return true
    }
}
