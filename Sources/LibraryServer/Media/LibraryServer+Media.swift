import Foundation
import LibraryStore
import MediaWorker
import Persistence

extension LibraryServer {
    /// Assembles the parts that make and serve thumbnails.
    func mediaParts(
        _ notifier: ChangeNotifier,
        _ precedence: UploadPriority
    ) -> (service: MediaService, derivatives: Derivatives) {
        let pool = settings.mediaWorkers > 0 ? workerPool() : nil
        let derivatives = DerivativeStore(LibraryLayout(root: Path(settings.libraryPath)), in: PosixFileSystem())
        let generator = DerivativeGenerator(store: environment.store, derivatives: derivatives, pool: pool)
        let service = MediaService(
            generator: generator,
            workers: settings.mediaWorkers,
            notifier: notifier,
            precedence: precedence,
            metrics: MediaMetrics(registry: environment.metrics),
            logger: environment.logger
        )
        return (service, Derivatives(generator: generator, notifier: notifier))
    }

    /// A name without a slash is a program of the same installation: beside this one, as in a build, or in
    /// `libexec/tintype`, as packages install internal programs (hier(7)).
    private static func path(of program: String) -> String {
        guard !program.contains("/") else { return program }
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/bin/tintype-server"
        let folder = URL(filePath: own).deletingLastPathComponent()
        let beside = folder.appending(path: program).path
        guard !FileManager.default.isExecutableFile(atPath: beside) else { return beside }
        return folder.deletingLastPathComponent().appending(path: "libexec/tintype/\(program)").path
    }

    private func workerPool() -> MediaWorkerPool {
        var limits = MediaLimits()
        limits.memoryByteCount = settings.mediaMemoryMebibytes << 20
        let threads = BlockingPool(width: settings.mediaWorkers, maximumWaiting: 256)
        return MediaWorkerPool(
            program: Self.path(of: settings.mediaProgram),
            limits: limits,
            blocking: { try await threads.run($0) },
            now: Self.stopwatch()
        )
    }

    /// Returns a monotonic clock that starts at zero now.
    static func stopwatch() -> @Sendable () -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
