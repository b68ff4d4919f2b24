import LibraryAPI
import Persistence
import PhotoModel

/// Commits in rounds: all publications of a round are made durable together, all rows in one transaction.
///
/// Quarantining content goes through the same rounds, so that nothing is published and quarantined at the same time.
final class CommitQueue: Sendable {
    /// One item of a round.
    enum Work: Sendable {
        /// Publish, then make visible; the assets of one request.
        case commit([(publications: [Publication], request: CommitRequest)])
        /// Quarantine content that nothing needs, or that is damaged.
        case quarantine(ContentAddress, isDamaged: Bool, reason: String, at: WallTime)

        /// The units of a writer's turn that it takes: an asset's rows are one at least.
        var units: Int {
            switch self {
            case .commit(let parts): parts.reduce(0) { $0 + WriterTurn.units(of: $1.request.manifest) }
            case .quarantine: 1
            }
        }
    }

    /// The result.
    enum Outcome: Sendable {
        /// The result for each asset.
        case committed([Result<CommittedAsset, any Error>])
        /// Whether the content is in quarantine; false if it is needed again, or did not exist.
        case quarantined(Bool)
    }

    private let committer: GroupCommitter<Work, Outcome>

    init(metadata: any SavingStore & UpkeepStore, content: any ContentStore, groupCount: Int) {
        committer = GroupCommitter(maximumWeight: groupCount, weight: \.units) { works in
            await Self.perform(works, metadata, content)
        }
    }

    var rounds: Int { committer.rounds }

    func commit(_ publications: [Publication], _ request: CommitRequest) async throws -> CommittedAsset {
        try await commit([(publications, request)])[0].get()
    }

    /// Commits the assets of one request: one result each, in order.
    ///
    /// A batch that writes much takes several rounds, so that others' commits get theirs in between.
    func commit(
        _ parts: [(publications: [Publication], request: CommitRequest)]
    ) async -> [Result<CommittedAsset, any Error>] {
        var answers: [Result<CommittedAsset, any Error>] = []
        var rest = parts[...]
        while !rest.isEmpty {
            var turn = WriterTurn()
            let part = rest.prefix { part in
                guard turn.hasRoom else { return false }
                turn.count(part.request.manifest)
                return true
            }
            answers += await commitInOneRound(Array(part))
            rest = rest.dropFirst(part.count)
        }
        return answers
    }

    private func commitInOneRound(
        _ parts: [(publications: [Publication], request: CommitRequest)]
    ) async -> [Result<CommittedAsset, any Error>] {
        await parts.failingTogether {
            guard case .committed(let answers) = try await committer.commit(.commit(parts)) else {
                preconditionFailure("a commit is answered by a commit")
            }
            return answers
        }
    }

    /// Quarantines content.
    ///
    /// - Parameters:
    ///   - address: the content's address.
    ///   - isDamaged: whether to quarantine it even though rows need it.
    ///   - reason: the reason, in words.
    ///   - time: the time.
    /// - Returns: whether it is in quarantine now.
    /// - Throws: errors of the rows or the content store.
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
        _ metadata: any SavingStore & UpkeepStore,
        _ content: any ContentStore
    ) async -> [Result<Outcome, any Error>] {
        var results: [Result<Outcome, any Error>] = works.map { _ in .failure(CancellationError()) }
        let groups = works.enumerated().compactMap { index, work in
            if case .commit(let parts) = work { (index: index, parts: parts) } else { nil }
        }
        var answers = await commit(groups.flatMap(\.parts), metadata, content)[...]
        for (index, parts) in groups {
            results[index] = .success(.committed(Array(answers.prefix(parts.count))))
            answers = answers.dropFirst(parts.count)
        }
        for (index, work) in works.enumerated() {
            guard case .quarantine(let address, let isDamaged, let reason, let time) = work else { continue }
            do {
                var mayGo = isDamaged
                if !mayGo { mayGo = try await !metadata.unwanted([address]).isEmpty }
                var isOut = false
                if mayGo { isOut = try await takeOut(address, isDamaged, reason, time, metadata, content) }
                results[index] = .success(.quarantined(isOut))
            } catch {
                results[index] = .failure(error)
            }
        }
        return results
    }

    /// Publishes everything, then makes the completely published assets visible in one transaction.
    private static func commit(
        _ parts: [(publications: [Publication], request: CommitRequest)],
        _ metadata: any SavingStore & UpkeepStore,
        _ content: any ContentStore
    ) async -> [Result<CommittedAsset, any Error>] {
        let publications = parts.flatMap(\.publications)
        var published = publications.isEmpty ? [] : await content.publish(publications)[...]
        var results: [Result<CommittedAsset, any Error>] = []
        var ready: [Int] = []
        var requests: [CommitRequest] = []
        for (index, part) in parts.enumerated() {
            let failure = published.prefix(part.publications.count).lazy.compactMap { result in
                if case .failure(let error) = result { error } else { nil }
            }.first
            results.append(.failure(failure ?? CancellationError()))
            if failure == nil {
                ready.append(index)
                var request = part.request
                for case .success(let place) in published.prefix(part.publications.count) {
                    request.places[place.digest] = place
                }
                requests.append(request)
            }
            published = published.dropFirst(part.publications.count)
        }
        guard !ready.isEmpty else { return results }
        for (index, answer) in zip(ready, await metadata.commit(requests)) { results[index] = answer }
        return results
    }

    private static func takeOut(
        _ address: ContentAddress,
        _ isDamaged: Bool,
        _ reason: String,
        _ time: WallTime,
        _ metadata: any SavingStore & UpkeepStore,
        _ content: any ContentStore
    ) async throws -> Bool {
        guard try await content.byteCount(address) != nil else { return false }
        let name = try await content.quarantine(address, isDamaged: isDamaged)
        return try await metadata.addQuarantined(
            QuarantinedContent(digest: address.digest, fileName: name, reason: reason, since: time),
            isDamaged: isDamaged
        )
    }
}
