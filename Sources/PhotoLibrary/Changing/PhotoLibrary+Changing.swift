import AgentStore
import Authorization
import LibraryAPI
import PhotoModel
import Replication

extension PhotoLibrary {
    /// Performs a block of changes atomically (PhotoKit's `performChanges`); once this returns, they survive a power
    /// cut, are visible here, and go to the library with the next sync.
    ///
    /// - Parameter body: requests the changes; called once, before anything is done.
    /// - Returns: what the body returns, such as placeholders.
    /// - Throws: what the body throws; `notAuthorized` for edits by a device without the right; `notFound` for objects
    ///   not in the view; `invalid`; `storage`. The library checks again on arrival.
    @discardableResult
    public func performChanges<Result>(_ body: (inout ChangeRequests) throws -> Result) async throws -> Result {
        let now = surroundings.now()
        let generator = Generator(bits: surroundings.randomBits)
        var requests = ChangeRequests(now: now, using: generator)
        let result = try body(&requests)
        if !requests.edits.isEmpty, !(try await authorizationStatus(for: .readWrite).grantsAccess) {
            throw PhotoLibraryError(
                .notAuthorized,
                "this device may not change the library: requestAuthorization(for: .readWrite), or tintype-agent authorize"
            )
        }
        try await local { [requests, limits, surroundings] store in
            if !requests.creations.isEmpty {
                try store.makeSpace(for: requests.creations.reduce(0) { try $0 + $1.byteCount() }, limits)
            }
            let intake = store.makeIntake()
            let drafts = try requests.creations.map { try $0.draft(now: now, in: intake) }
            // Before the transaction: the store has a single connection.
            let milliseconds = try requests.edits.isEmpty ? 0 : surroundings.serverMilliseconds(store)
            try store.add(drafts, limits: limits, now: now) { transaction in
                guard !requests.edits.isEmpty else { return }
                var generator = generator
                try transaction.change(
                    fresh: ReplicaID(using: &generator),
                    serverMilliseconds: milliseconds,
                    now: now
                ) { draft in
                    for edit in requests.edits { try edit.apply(to: &draft) }
                }
            }
            store.notifyViewChanged()
        }
        await wake()
        return result
    }
}
