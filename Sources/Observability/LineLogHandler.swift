import Glibc
package import Logging
package import PhotoModel

/// A log handler that writes lines to a sink, by default standard error.
package struct LineLogHandler: LogHandler {
    /// Writes one whole line; called from any thread.
    package typealias Sink = @Sendable (String) -> Void

    /// Metadata added to every line of this logger.
    package var metadata: Logger.Metadata = [:]
    /// Adds metadata from the task's context.
    package var metadataProvider: Logger.MetadataProvider?
    /// The lowest level written.
    package var logLevel: Logger.Level

    private let label: String
    private let format: LogFormat
    private let now: @Sendable () -> WallTime
    private let sink: Sink

    /// Creates a handler for one logger that writes lines of this level or above to the sink.
    package init(
        label: String,
        format: LogFormat,
        level: Logger.Level,
        now: @escaping @Sendable () -> WallTime,
        sink: @escaping Sink = LineLogHandler.standardError
    ) {
        self.label = label
        self.format = format
        logLevel = level
        self.now = now
        self.sink = sink
    }

    /// Reads and writes one metadata key.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one event.
    package func log(event: LogEvent) {
        var all = metadataProvider?.get() ?? [:]
        all.merge(metadata) { _, ours in ours }
        if let own = event.metadata { all.merge(own) { _, ours in ours } }
        if let error = event.error { all["error"] = "\(error)" }
        sink(
            format.line(
                time: now(),
                level: event.level,
                label: label,
                message: event.message.description,
                metadata: all
            )
        )
    }

    /// Writes a line to standard error in a single call, so that threads' lines do not interleave.
    package static func standardError(_ line: String) {
        let bytes = Array(line.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
