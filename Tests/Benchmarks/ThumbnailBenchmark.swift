import BenchmarkSupport
import CoreFoundation
import Dispatch
import Foundation
import Glibc
import MediaWorker
import PhotoModel

/// The rate of thumbnails over 12-megapixel JPEG files, against `vipsthumbnail` over the same files.
///
/// A job of ours is what the server does for an asset: both sizes, the placeholder and the facts, by a confined worker on
/// each core. The peer makes the larger size only, once as it comes and once for both sizes as we make them.
func thumbnailBenchmark() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-thumbnails-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try twelveMegapixelFiles(24, in: folder)
    let bytes = try files.reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    print("\(files.count) JPEG files of 4000x3000, \(bytes / files.count / 1000) kB each, \(cores) cores")
    let pool = workerPool()
    _ = try await pool.perform(thumbnailRequest) { try opened(files[0]) }
    // In turn, so that what else the machine does falls on all of them.
    var (ours, one, both): ([Cost], [Cost], [Cost]) = ([], [], [])
    for _ in 0..<3 {
        ours.append(
            try await cost(of: files.count) {
                try await makeThumbnails(of: files, pool, width: cores)
                // The workers end, so that their processor time is counted.
                pool.retireIdle()
            }
        )
        one.append(try await cost(of: files.count) { try vipsthumbnail(files, sides: [1024]) })
        both.append(try await cost(of: files.count) { try vipsthumbnail(files, sides: [1024, 256]) })
    }
    let our = Cost.median(ours)
    print("tintype-media, 1024 and 256 px with placeholder: \(our)")
    for (name, costs) in [("1024 px", one), ("1024 px and 256 px", both)] {
        let peer = Cost.median(costs)
        let (rate, work) = (text(our.rate / peer.rate), text(peer.processor / our.processor))
        print("vipsthumbnail, \(name): \(peer); ours is \(rate) by the clock, \(work) by processor time")
    }
}

/// What one file cost.
private struct Cost: CustomStringConvertible {
    /// Files a second by the clock.
    let rate: Double
    /// Processor seconds of the processes that did the work, a file.
    let processor: Double

    var description: String { "\(text(rate)) files/s, \(text(processor)) processor seconds a file" }

    static func median(_ costs: [Cost]) -> Cost {
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        return Cost(rate: middle(costs.map(\.rate)), processor: middle(costs.map(\.processor)))
    }
}

private func cost(of count: Int, _ work: () async throws -> Void) async throws -> Cost {
    let clock = ContinuousClock()
    let before = childProcessorSeconds()
    let time = try await clock.measure(work)
    return Cost(
        rate: Double(count) / time.seconds,
        processor: (childProcessorSeconds() - before) / Double(count)
    )
}

/// Processor time of child processes that have ended.
private func childProcessorSeconds() -> Double {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(micros) / 1e6
}

private let thumbnailRequest = MediaRequest(
    .thumbnails,
    of: .still,
    thumbnails: [.init(side: 1024), .init(side: 256), .init(side: 256, format: .webP)]
)

private func workerPool() -> MediaWorkerPool {
    let clock = ContinuousClock()
    let start = clock.now
    var limits = MediaLimits()
    limits.niceness = 0
    return MediaWorkerPool(
        program: Bundle.main.bundleURL.appending(path: "tintype-media").path,
        limits: limits,
        blocking: { call in
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(with: Result { try call() }) }
            }
        },
        now: { start.duration(to: clock.now) }
    )
}

private func opened(_ file: URL) throws -> OwnedDescriptor {
    let descriptor = unsafe open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    return OwnedDescriptor(descriptor)
}

private func makeThumbnails(of files: [URL], _ pool: MediaWorkerPool, width: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, file) in files.enumerated() {
            if index >= width { try await group.next() }
            group.addTask {
                let output = try await pool.perform(thumbnailRequest) { try opened(file) }
                for (picture, name) in zip(output.pictures, ["large", "small", "webp"]) {
                    try Data(picture.bytes).write(to: URL(filePath: "\(file.path).\(name)"))
                }
            }
        }
        try await group.waitForAll()
    }
}

private func vipsthumbnail(_ files: [URL], sides: [Int]) throws {
    for side in sides {
        let arguments = ["--size", "\(side)x\(side)>", "-o", "%s.\(side).jpg[Q=80,strip]"]
        try run("vipsthumbnail", arguments + files.map(\.path))
    }
}

/// Files as a camera makes them: detail and noise everywhere, about 4 MB each.
private func twelveMegapixelFiles(_ count: Int, in folder: URL) throws -> [URL] {
    let first = folder.appending(path: "0.jpg")
    let source = "testsrc2=s=4000x3000,noise=alls=24:allf=t"
    try run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, "-frames:v", "1", "-q:v", "4", first.path])
    return try (0..<count).map { index in
        let file = folder.appending(path: "\(index).jpg")
        if index > 0 { try FileManager.default.copyItem(at: first, to: file) }
        return file
    }
}

private func run(_ name: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
}

private func text(_ value: Double) -> String { String(format: "%.2f", value) }
