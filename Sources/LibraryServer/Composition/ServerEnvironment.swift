package import DeviceIdentity
package import LibraryStore
package import Logging
package import Observability
package import PhotoModel

/// A server's environment, provided by the composition.
package struct ServerEnvironment: Sendable {
    /// Keys and certificates.
    package let authority: AuthorityFolder.Contents
    /// The metrics registry.
    package let metrics: MetricsRegistry
    /// The wall clock, by which certificates and requests are judged.
    package let now: @Sendable () -> WallTime
    /// For everything outside requests.
    package let logger: Logger
    /// The library.
    package let store: LibraryStore
    /// How often an idle stream of changes sends a keep-alive.
    package var streamInterval = Duration.seconds(15)

    package init(
        authority: AuthorityFolder.Contents,
        store: LibraryStore,
        metrics: MetricsRegistry,
        now: @escaping @Sendable () -> WallTime,
        logger: Logger
    ) {
        self.authority = authority
        self.store = store
        self.metrics = metrics
        self.now = now
        self.logger = logger
    }
}
