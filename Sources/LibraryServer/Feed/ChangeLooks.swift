import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// Checks for news on behalf of all waiting requests: those at the same position of the same view share one check.
///
/// Requests woken while a round of checks is running join the next one, so a change costs at most two checks per view,
/// however many requests wait for it.
struct ChangeLooks: Sendable {
    /// Checks the feed for many at once; one result per look, in order.
    typealias Look = @Sendable ([ChangeLook]) async -> [Result<ChangePage, any Error>]

    /// Positions checked in one round.
    private static let roundCount = 1024

    private struct Place: Hashable {
        let position: ChangePosition?
        let limit: Int
        /// The device whose view it is, nil for the whole library; with the version it identifies the selection.
        let device: DeviceID?
        let grantVersion: UInt64
    }

    private let rounds: GroupCommitter<(place: Place, viewer: ChangeViewer), ChangePage>

    init(look: @escaping Look) {
        rounds = GroupCommitter(maximumWeight: Self.roundCount) { waiters in
            var (places, asked): ([Place], [ChangeLook]) = ([], [])
            var known: Set<Place> = []
            for (place, viewer) in waiters where known.insert(place).inserted {
                places.append(place)
                asked.append(ChangeLook(after: place.position, limit: place.limit, for: viewer))
            }
            let pages = Dictionary(uniqueKeysWithValues: zip(places, await look(asked)))
            return waiters.map { pages[$0.place] ?? .failure(CancellationError()) }
        }
    }

    /// The number waiting for the next round, for tests.
    var waitingCount: Int { rounds.waitingCount }

    /// The changes after a position, as a viewer sees them.
    ///
    /// - Throws: what the check throws.
    func page(after position: ChangePosition?, limit: Int, for viewer: ChangeViewer) async throws -> ChangePage {
        let device: DeviceID? = if case .limited(let device, _, _) = viewer { device } else { nil }
        let place = Place(position: position, limit: limit, device: device, grantVersion: viewer.grantVersion)
        return try await rounds.commit((place, viewer))
    }
}
