import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import Logging
import PhotoModel
import Synchronization

/// Records refusals in the audit: the first of a kind at once; later ones are counted in the next entry.
final class DenialJournal: Sendable {
    /// Refusals with the same values are counted together.
    private struct Kind: Hashable {
        let who: String
        let route: String
        let problem: String
    }

    private struct Count {
        var folded = 0
        var written: WallTime
    }

    /// How long refusals of a kind are only counted: 10 minutes.
    static let window = Duration.seconds(600)
    /// The most kinds tracked; a flood of new ones counts as one.
    private static let maximumKindCount = 1000

    private let store: any RecordStore
    private let logger: Logger
    private let counts = Mutex<[Kind: Count]>([:])

    init(store: any RecordStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Records a refusal.
    ///
    /// A failure to write the audit is logged: the refusal stands either way.
    func note(_ problem: ProblemDetails, _ call: Call) async {
        guard problem.status == 401 || problem.status == 403, !call.isQuestionBeforeLogin else { return }
        let who =
            call.credential.deviceID?.description ?? call.credential.operatorName ?? call.remoteAddress ?? "socket"
        let kind = Kind(who: AddressNetwork.name(of: who), route: call.route.description, problem: problem.title)
        guard let folded = fold(kind, at: call.time) else { return }
        let actor = call.credential.deviceID.map { Actor.device($0).description } ?? "caller:\(who)"
        var content = AuditEntry.Content(.deniedAccess, by: actor, call.auditContext)
        content.device = call.credential.deviceID?.description
        content.new = "\(call.route): \(problem.title)"
        if folded > 0 { content.reason = "\(folded) more before" }
        do {
            try await store.appendAudit(content)
        } catch {
            logger.error("a refusal could not be audited", metadata: ["error": "\(error)"])
        }
    }

    /// Counts a refusal; if an entry is due, returns the number counted since the last one, else nil.
    private func fold(_ kind: Kind, at time: WallTime) -> Int? {
        counts.withLock { counts in
            var kind = kind
            if counts[kind] == nil, counts.count >= Self.maximumKindCount {
                let since = time.advanced(by: .zero - Self.window)
                counts = counts.filter { $0.value.written > since }
                if counts.count >= Self.maximumKindCount { kind = Kind(who: "many", route: "", problem: "") }
            }
            guard var count = counts[kind] else {
                counts[kind] = Count(written: time)
                return 0
            }
            guard count.written.advanced(by: Self.window) <= time else {
                count.folded += 1
                counts[kind] = count
                return nil
            }
            defer { counts[kind] = Count(written: time) }
            return count.folded
        }
    }
}

extension Call {
    /// Whether a browser asks who is logged in without showing a login, as the login page does: it tries to get at nothing.
    ///
    /// With the cookie of an unknown login it may be guessing.
    fileprivate var isQuestionBeforeLogin: Bool {
        guard case .none = credential else { return false }
        return route == .adminCurrentWebLogin && header("Cookie")?.contains(OperatorRoutes.cookie) != true
    }
}
