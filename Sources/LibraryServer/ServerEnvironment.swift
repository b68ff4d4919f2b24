package import DeviceIdentity
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
    /// Looks devices up.
    let devices: any DeviceDirectory
}
