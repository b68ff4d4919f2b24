package import AgentStore
// Importing PhotoLibrary also provides assets, albums, filters and statuses.
@_exported public import Authorization
import BoxIdentity
import Host
package import LibraryAPI
package import LibraryClient
package import Persistence
@_exported public import PhotoModel

/// The library as seen by a program on a box (PhotoKit's `PHPhotoLibrary`).
///
/// Reads come from the box's own replica, so they work without a network; writes are durable on the box when a call
/// returns, and go to the library with the next sync. The library refuses anything the device may not do, whatever is
/// requested here.
///
/// ```swift
/// let library = try PhotoLibrary()
/// guard try await library.requestAuthorization(for: .readWrite).grantsAccess else { return }
/// for asset in try await library.fetchAssets(FetchOptions(filter: .kind(.favorites), fetchLimit: 10)) {
///     print(asset.id, asset.captureDate)
/// }
/// ```
///
/// A program opens the library beside the agent that runs on the box (`tintype-agent run`), the only one to use
/// the network unprompted; both may use the library at once.
public final class PhotoLibrary: Sendable {
    let client: LibraryClient
    let store: AgentStore
    let pool: BlockingPool
    let usage: UsageTexts
    let surroundings: Surroundings
    let limits: SpaceLimits
    let cacheByteLimit: Int64
    /// Called when there is something to send.
    let wake: @Sendable () async -> Void
    /// Reloads the stored identity; blocks.
    let refresh: @Sendable () throws -> Void
    /// The library's address, for links that a person opens.
    let origin: String

    /// The box's clocks and randomness.
    package struct Surroundings: Sendable {
        /// The wall clock.
        package var now: @Sendable () -> WallTime
        /// The server's time as learned in this boot, in milliseconds since 1970; 0 if unknown.
        package var serverMilliseconds: @Sendable (AgentStore) throws -> UInt64

        /// 64 unpredictable bits, used for identifiers.
        package var randomBits: @Sendable () -> UInt64

        /// This machine's.
        package static var box: Surroundings {
            Surroundings(
                now: { HostClock.now() },
                serverMilliseconds: { try LearnedClock.serverMilliseconds(in: $0) },
                randomBits: { UInt64.random(in: 0 ... .max) }
            )
        }

        package init(
            now: @escaping @Sendable () -> WallTime,
            serverMilliseconds: @escaping @Sendable (AgentStore) throws -> UInt64,
            randomBits: @escaping @Sendable () -> UInt64
        ) {
            self.randomBits = randomBits
            self.now = now
            self.serverMilliseconds = serverMilliseconds
        }
    }

    /// Creates a library.
    ///
    /// - Parameters:
    ///   - client: calls to the library.
    ///   - store: the box's queue and replica.
    ///   - pool: runs blocking calls.
    ///   - usage: why the program wants access, for the person who decides.
    ///   - surroundings: the box's clocks and randomness.
    ///   - limits: the space that captures may use.
    ///   - cacheByteLimit: the cache size for downloads, in bytes.
    ///   - origin: the library's address, for links that a person opens.
    ///   - refresh: reloads the stored identity; blocks.
    ///   - wake: called when there is something to send.
    package init(
        client: LibraryClient,
        store: AgentStore,
        pool: BlockingPool,
        usage: UsageTexts,
        surroundings: Surroundings,
        limits: SpaceLimits = SpaceLimits(),
        cacheByteLimit: Int64 = 1 << 30,
        origin: String = "",
        refresh: @escaping @Sendable () throws -> Void = {},
        wake: @escaping @Sendable () async -> Void = {}
    ) {
        self.origin = origin
        self.refresh = refresh
        self.client = client
        self.store = store
        self.pool = pool
        self.usage = usage
        self.surroundings = surroundings
        self.limits = limits
        self.cacheByteLimit = cacheByteLimit
        self.wake = wake
    }

    /// Lets a person choose; needs no access.
    public var picker: PhotoPicker { PhotoPicker(client: client, pool: pool, origin: origin) }

    /// The last known status of a level, without asking anybody.
    ///
    /// - Parameter level: the level.
    /// - Returns: the status; `notDetermined` before the first contact.
    /// - Throws: `storage`.
    public func authorizationStatus(for level: AccessLevel) async throws -> AuthorizationStatus {
        let known = try await local { try $0.fact(.authorization) }
        return known?.status(for: level) ?? .notDetermined
    }

    /// Requests a level; only if nobody has decided yet does this ask an administrator, and need a network.
    ///
    /// Decisions are known from the agent's last contact, so that a program also starts without a network.
    ///
    /// - Parameters:
    ///   - level: the level.
    ///   - patience: how long to wait for an answer; the request stays open afterwards.
    ///   - clock: the clock that measures the wait.
    /// - Returns: the status; `notDetermined` while the request is open.
    /// - Throws: `invalid` without a usage text, `library`.
    @discardableResult
    public func requestAuthorization<Clock: _Concurrency.Clock>(
        for level: AccessLevel,
        patience: Duration = .zero,
        clock: Clock = ContinuousClock()
    ) async throws -> AuthorizationStatus where Clock.Duration == Duration {
        guard let text = level == .addOnly ? usage.add : usage.readWrite else {
            throw PhotoLibraryError(.invalid, "the setting library.\(level.settingName).usage is missing")
        }
        let known = try await authorizationStatus(for: level)
        guard known == .notDetermined else { return known }
        let request = AuthorizationRequest(level: level.rawValue, usage: text)
        let deadline = clock.now.advanced(by: patience)
        var answer = try await remote { client throws(LibraryClientError) in
            try await client.requestAuthorization(request)
        }
        while answer.status(for: level) == .notDetermined, clock.now < deadline {
            try await clock.sleep(until: clock.now.advanced(by: .seconds(2)), tolerance: nil)
            answer = try await remote { client throws(LibraryClientError) in try await client.authorization() }
        }
        try await local { [answer] in try $0.setFact(.authorization, to: answer) }
        return answer.status(for: level)
    }

    func local<Value: Sendable>(_ call: @escaping @Sendable (AgentStore) throws -> Value) async throws -> Value {
        do {
            return try await pool.uncancelled { [store] in try call(store) }
        } catch let error as AgentStoreError {
            throw PhotoLibraryError(error)
        } catch let error as PersistenceError {
            throw PhotoLibraryError(error)
        }
    }

    func remote<Value>(_ call: (LibraryClient) async throws(LibraryClientError) -> Value) async throws -> Value {
        // A certificate that the agent has renewed meanwhile; without one the library reports the problem.
        try? await pool.uncancelled { [refresh] in try refresh() }
        do throws(LibraryClientError) {
            return try await call(client)
        } catch {
            if error.code == .transport(.cancelled) { throw CancellationError() }
            throw PhotoLibraryError(error)
        }
    }
}

extension PhotoLibrary {
    /// Randomness from the surroundings.
    struct Generator: RandomNumberGenerator {
        let bits: @Sendable () -> UInt64

        mutating func next() -> UInt64 { bits() }
    }
}

extension AuthorizationResponse {
    /// The status of a level.
    func status(for level: AccessLevel) -> AuthorizationStatus {
        AuthorizationStatus(untrusted: (level == .addOnly ? addOnly : readWrite).rawValue)
    }
}

extension AccessLevel {
    /// The level's part of setting names.
    fileprivate var settingName: String {
        switch self {
        case .addOnly: "add"
        case .readWrite: "readWrite"
        }
    }
}
