import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// Looks for news on behalf of all who wait: those who stand at the same place of the same view share one look.
///
/// While one round of looks is under way, whoever else is woken joins the next; so a change costs two looks a view at most,
/// however many wait for it.
struct ChangeLooks: Sendable {
    /// Looks at the feed after a position.
    typealias Look =
        @Sendable (_ after: ChangePosition?, _ limit: Int, _ viewer: ChangeViewer) async throws -> ChangePage

    /// Places that are looked at in one round.
    private static let roundCount = 1024

    private struct Place: Hashable {
        let position: ChangePosition?
        let limit: Int
        /// The device whose part is seen, nil for everything; with the version it names the selection.
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

    /// Those who wait for the next round, for tests.
    var waitingCount: Int { rounds.waitingCount }

    /// What came after a position, as a viewer sees it.
    ///
    /// - Throws: what the look throws.
    func page(after position: ChangePosition?, limit: Int, for viewer: ChangeViewer) async throws -> ChangePage {
        let device: DeviceID? = if case .limited(let device, _, _) = viewer { device } else { nil }
        let place = Place(position: position, limit: limit, device: device, grantVersion: viewer.grantVersion)
        return try await rounds.commit((place, viewer))
    }
}
