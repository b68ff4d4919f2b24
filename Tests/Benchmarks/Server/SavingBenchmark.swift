import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryClient
import LibraryLoad
import Persistence
import PhotoModel

/// What one way of moving a corpus took, on both ends.
struct Transfer {
    let name: String
    let wall: Double
    let processor: Double
    /// The server's part of it; 0 where it was not measured.
    var serverProcessor = 0.0
    let peakByteCount: Int64
    /// What the server did after the last receipt, where it left something for later.
    var afterwards = ""

    func line(files: Int, byteCount: Int64) -> String {
        let (megabytes, gigabytes) = (Double(byteCount) / 1e6, Double(byteCount) / 1e9)
        return
            "  \(name): \(decimal(wall)) s, \(decimal(megabytes / wall)) MB/s, \(Int(Double(files) / wall)) files/s, "
            + "CPU of both ends \(decimal(processor / gigabytes)) s/GB (\(decimal(processor * 1000 / Double(files))) ms/file)"
            + (serverProcessor > 0 ? ", the server's \(decimal(serverProcessor / gigabytes)) s/GB" : "")
            + (peakByteCount > 0 ? ", server's peak \(peakByteCount >> 20) MiB" : "")
            + afterwards
    }
}

func decimal(_ value: Double) -> String { String((value * 100).rounded() / 100) }

/// Saves a corpus to a fresh server over TLS, until every receipt is there.
struct SavingBenchmark {
    let corpus: Corpus
    let folder: URL
    /// The server's settings, each `key=value`.
    var settings: [String] = []

    private var executable: URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "tintype-server")
    }

    /// Uploads each file by itself, so many at once, by one device or by as many.
    func uploads(width: Int, byOneDevice: Bool = true) async throws -> Transfer {
        let name = "tintype, uploads, \(width) at once\(byOneDevice ? "" : " by as many devices")"
        return try await transfer(name, width: width, deviceCount: byOneDevice ? 1 : width) { devices in
            try await withThrowingTaskGroup { group in
                for worker in 0..<width {
                    group.addTask {
                        for index in stride(from: worker, to: corpus.manifests.count, by: width) {
                            try await upload(index, by: devices[worker % devices.count])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Uploads one file.
    func upload(_ index: Int, by device: LoadDevice) async throws {
        let manifest = corpus.manifests[index]
        guard let upload = try await device.client.createAsset(manifest).uploads.first else { return }
        // The whole is sent at once, so its digest is the one that was made at the capture.
        let digest = manifest.resources[0].digest
        let source = try corpus.source(index)
        _ = try await device.client.append(to: upload.id, at: 0, source, isLast: true, digest: digest)
        _ = try await device.client.commit(manifest.id)
    }

    /// Sends batches, so many at once.
    func batches(width: Int, count: Int) async throws -> Transfer {
        try await transfer("tintype, batches of \(count), \(width) at once", width: width) { devices in
            let starts = Array(stride(from: 0, to: corpus.manifests.count, by: count))
            try await withThrowingTaskGroup { group in
                for worker in 0..<width {
                    group.addTask {
                        for place in stride(from: worker, to: starts.count, by: width) {
                            try await send(from: starts[place], count: count, by: devices[0])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Sends the files from an index on as one batch; fewer only at the end.
    func send(from start: Int, count: Int, by device: LoadDevice) async throws {
        let items = try (start..<min(start + count, corpus.manifests.count)).map { index in
            try BatchItem(corpus.manifests[index], sources: [corpus.source(index)])
        }
        let answer = try await device.client.batch(items)
        guard answer.results.allSatisfy({ $0.commit != nil }) else {
            throw LoadError("a batch was refused: \(answer.results.compactMap(\.problem).first as Any)")
        }
    }

    private func transfer(
        _ name: String,
        width: Int,
        deviceCount: Int = 1,
        _ work: ([LoadDevice]) async throws -> Void
    ) async throws -> Transfer {
        // Kept until the end: ext4 is slow at giving out inodes while many have just been deleted.
        let library = folder.appending(path: "library-\(UUID().uuidString.prefix(8))")
        let rows = try await BenchmarkRows.asked()
        let server = try ServerProgram(executable, library: library, settings: rows.settings + settings)
        try server.start()
        var devices: [LoadDevice] = []
        for _ in 0..<deviceCount {
            devices.append(try await LoadDevice.enroll(at: server, connections: width / deviceCount))
        }
        let (own, before) = (processorTime(), try usage(server))
        let clock = ContinuousClock()
        let start = clock.now
        try await work(devices)
        let wall = (clock.now - start).seconds
        let (ownAfter, after) = (processorTime(), try usage(server))
        let statistics: LibraryStatistics = try await server.operators().call(.adminStatistics)
        guard statistics.contents == corpus.manifests.count else {
            throw LoadError("\(statistics.contents) files arrived")
        }
        let serverProcessor = (after.processorTime - before.processorTime).seconds
        return Transfer(
            name: name,
            wall: wall,
            processor: (ownAfter - own).seconds + serverProcessor,
            serverProcessor: serverProcessor,
            peakByteCount: after.peakByteCount,
            afterwards: try await settling(of: server, library, since: clock.now)
        )
    }

    /// Waits until journals have become plain files, which the server does when nobody uploads.
    private func settling(
        of server: ServerProgram,
        _ library: URL,
        since start: ContinuousClock.Instant
    ) async throws -> String {
        let journals = library.appending(path: "journals").path
        func isSettled() throws -> Bool {
            // There are none beside a bucket.
            guard FileManager.default.fileExists(atPath: journals) else { return true }
            return try FileManager.default.contentsOfDirectory(atPath: journals).isEmpty
        }
        guard try !isSettled() else { return "" }
        let before = try usage(server).processorTime
        while try !isSettled() { try await Task.sleep(for: .milliseconds(20)) }
        let (wall, processor) = ((ContinuousClock().now - start).seconds, try usage(server).processorTime - before)
        return ", plain files \(decimal(wall)) s and \(decimal(processor.seconds)) CPU s later"
    }

    private func usage(_ server: ServerProgram) throws -> ProcessUsage {
        guard let usage = server.processIdentifier.flatMap({ ProcessUsage(of: $0) }) else {
            throw LoadError("the server's process is gone")
        }
        return usage
    }
}
