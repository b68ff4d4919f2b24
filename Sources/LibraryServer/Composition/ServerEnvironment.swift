package import DeviceIdentity
package import LibraryStore
package import Logging
package import Observability
package import PhotoModel

/// A server's environment, provided by the composition.
package struct ServerEnvironment: Sendable {
    /// Keys and certificates.
    package let authority: AuthorityFolder.Contents
    /// The library.
    package let store: LibraryStore
    /// The metrics registry.
    package let metrics: MetricsRegistry
    /// The wall clock, by which certificates and requests are judged.
    package let now: @Sendable () -> WallTime
    /// For everything outside requests.
    package let logger: Logger
    /// How often an idle stream of changes sends a keep-alive.
    package var streamInterval = Duration.seconds(15)
}
