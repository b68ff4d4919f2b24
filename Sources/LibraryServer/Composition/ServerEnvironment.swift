package import DeviceIdentity
package import LibraryStore
package import Logging
package import Observability
package import PhotoModel

/// What a server works with, passed in by the composition.
package struct ServerEnvironment: Sendable {
    /// Keys and certificates.
    package let authority: AuthorityFolder.Contents
    /// Where metrics are kept.
    package let metrics: MetricsRegistry
    /// The wall clock, by which certificates and requests are judged.
    package let now: @Sendable () -> WallTime
    /// For everything that is no request.
    package let logger: Logger
    /// The library.
    package let store: LibraryStore

    /// Takes the parts.
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
