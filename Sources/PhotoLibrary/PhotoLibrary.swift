package import AgentStore
package import Authorization
package import LibraryAPI
package import LibraryClient
package import Persistence
package import PhotoModel

/// A library as one program on a box sees it (PhotoKit's `PHPhotoLibrary`).
///
/// What it reads is the box's own replica, so it works without a network; what it writes is durable on the box when a call
/// returns, and goes to the library with the next sync. What the device may not do, the library refuses, whatever is asked
/// for here.
package final class PhotoLibrary: Sendable {
    let client: LibraryClient
    let store: AgentStore
    let pool: BlockingPool
    let usage: UsageTexts
    let time: Time
    let limits: SpaceLimits
    let cacheByteLimit: Int64
    /// Told when there is something to send.
    let wake: @Sendable () -> Void

    /// The box's clocks.
    package struct Time: Sendable {
        /// The wall clock.
        package var now: @Sendable () -> WallTime
        /// The server's time as far as this boot has learned it, in milliseconds since 1970; 0 where it has not.
        package var serverMilliseconds: @Sendable (AgentStore) throws -> UInt64

        /// Takes clocks as they are.
        package init(
            now: @escaping @Sendable () -> WallTime,
            serverMilliseconds: @escaping @Sendable (AgentStore) throws -> UInt64
        ) {
            self.now = now
            self.serverMilliseconds = serverMilliseconds
        }
    }

    /// A library.
    ///
    /// - Parameters:
    ///   - client: calls to the library.
    ///   - store: the box's queue and replica.
    ///   - pool: where blocking calls run.
    ///   - usage: why the program wants access, for the person who decides.
    ///   - time: the box's clocks.
    ///   - limits: how much room captures may take.
    ///   - cacheByteLimit: bytes that are kept of what was fetched.
    ///   - wake: told when there is something to send.
    package init(
        client: LibraryClient,
        store: AgentStore,
        pool: BlockingPool,
        usage: UsageTexts,
        time: Time,
        limits: SpaceLimits = SpaceLimits(),
        cacheByteLimit: Int64 = 1 << 30,
        wake: @escaping @Sendable () -> Void = {}
    ) {
        self.client = client
        self.store = store
        self.pool = pool
        self.usage = usage
        self.time = time
        self.limits = limits
        self.cacheByteLimit = cacheByteLimit
        self.wake = wake
    }

    /// Lets a person choose; needs no access.
    package var picker: PhotoPicker { PhotoPicker(client: client, pool: pool) }

    /// What has been decided for a level, as the library last said; asks nobody.
    ///
    /// - Parameter level: the level.
    /// - Returns: the status; `notDetermined` before the first contact.
    /// - Throws: `storage`.
    package func authorizationStatus(for level: AccessLevel) async throws -> AuthorizationStatus {
        let known: AuthorizationAnswer? = try await local { try $0.fact(AgentStore.Fact.authorization) }
        return known?.status(for: level) ?? .notDetermined
    }

    /// Asks for a level; only where nobody has decided yet does that open a question.
    ///
    /// - Parameters:
    ///   - level: the level.
    ///   - patience: how long to wait for an answer; an open question stays open when it is over.
    ///   - clock: what the wait is measured by.
    /// - Returns: the status; `notDetermined` while the question is open.
    /// - Throws: `invalid` without a usage text, `library`.
    @discardableResult
    package func requestAuthorization<Clock: _Concurrency.Clock>(
        for level: AccessLevel,
        patience: Duration = .zero,
        clock: Clock = ContinuousClock()
    ) async throws -> AuthorizationStatus where Clock.Duration == Duration {
        guard let text = level == .addOnly ? usage.add : usage.readWrite else {
            throw PhotoLibraryError(.invalid, "the setting library.\(level.settingName).usage is missing")
        }
        let request = AuthorizationRequest(level: level.rawValue, usage: text)
        let deadline = clock.now.advanced(by: patience)
        var answer = try await remote { client throws(LibraryClientError) in
            try await client.requestAuthorization(request)
        }
        while answer.status(for: level) == .notDetermined, clock.now < deadline {
            try await clock.sleep(until: clock.now.advanced(by: .seconds(2)), tolerance: nil)
            answer = try await remote { client throws(LibraryClientError) in try await client.authorization() }
        }
        try await local { [answer] in try $0.setFact(AgentStore.Fact.authorization, to: answer) }
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

    func remote<Value>(
        _ call: (LibraryClient) async throws(LibraryClientError) -> Value
    ) async throws -> Value {
        do {
            return try await call(client)
        } catch {
            if error.code == .transport(.cancelled) { throw CancellationError() }
            throw PhotoLibraryError(error)
        }
    }
}

extension AuthorizationAnswer {
    /// The status of a level.
    func status(for level: AccessLevel) -> AuthorizationStatus {
        AuthorizationStatus(untrusted: (level == .addOnly ? addOnly : readWrite).rawValue)
    }
}

extension AccessLevel {
    /// The level's part of the names of settings.
    fileprivate var settingName: String {
        switch self {
        case .addOnly: "add"
        case .readWrite: "readWrite"
        }
    }
}
