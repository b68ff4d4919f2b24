import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// Checks for news on behalf of all waiting requests: those at the same position of the same view share one check.
///
/// While one round of checks is running, anybody else who is woken joins the next; so a change costs at most two checks
/// per view, however many wait for it.
struct ChangeLooks: Sendable {
    /// Checks the feed after a position.
    typealias Look =
        @Sendable (_ after: ChangePosition?, _ limit: Int, _ viewer: ChangeViewer) async throws -> ChangePage

    /// Positions checked in one round.
    private static let roundCount = 1024

    private struct Place: Hashable {
        let position: ChangePosition?
        let limit: Int
        /// The device whose part is visible, nil for everything; with the version it identifies the selection.
        let device: DeviceID?
        let grantVersion: UInt64
    }

    private let rounds: GroupCommitter<(place: Place, viewer: ChangeViewer), ChangePage>

    init(look: @escaping Look) {
        rounds = GroupCommitter(maximumWeight: Self.roundCount) { waiters in
            var pages: [Place: Result<ChangePage, any Error>] = [:]
            for (place, viewer) in waiters where pages[place] == nil {
                do {
                    pages[place] = .success(try await look(place.position, place.limit, viewer))
                } catch {
                    pages[place] = .failure(error)
                }
            }
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
