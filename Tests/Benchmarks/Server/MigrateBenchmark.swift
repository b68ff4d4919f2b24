import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryLoad
import LibraryStore
import Logging
import Persistence
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport

/// What `tintype-server migrate` takes for a library's rows: into another folder, from there into PostgreSQL, and back into
/// a folder; beside what each engine takes to copy the same rows: SQLite's `VACUUM INTO`, and `pg_dump` into `psql`.
///
/// `--assets N` says how many (100,000). They share a thousand small originals: the disk is measured elsewhere.
func migrateBenchmark() async throws {
    guard TestServer.isInstalled, ProcessInfo.processInfo.environment["LIBRARY_BUCKET"] == nil else {
        print("migrate: not measured; needs PostgreSQL, and originals in a folder")
        return
    }
    let folder = try BenchmarkFolder()
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "tintype-server")
    let rows = try await BenchmarkRows.postgreSQL()
    func place(_ name: String, _ engine: String, _ settings: [String] = []) -> LibraryStop {
        let library = folder.url.appending(path: name)
        // With another zone than the one they were filled with, every capture's day would be looked at again.
        return LibraryStop(
            engine: engine,
            library: library,
            settings: ["library.path=\(library.path)", "library.timeZone=GMT"] + settings
        )
    }
    let stops = [
        place("first", "SQLite"), place("second", "SQLite"), place("third", "PostgreSQL", rows.settings),
        place("fourth", "SQLite"),
    ]
    // For its keys, which a library cannot move without.
    _ = try ServerProgram(program, library: stops[0].library)
    let count = assetCount()
    let clock = ContinuousClock()
    let start = clock.now
    try await fill(stops[0].library, count)
    let filling = (clock.now - start).seconds
    let bare = try BareSQLite(stops[0].library)
    let rowCount = try bare.rowCount()
    print("\(count) assets in \(rowCount) rows, saved in \(decimal(filling)) s; `tintype-server migrate`:")
    let copying = try bare.copySeconds(to: folder.url.appending(path: "copy.sqlite"))
    try bare.close()

    let beside = try await move(program, stops[0], stops[1], rows, in: folder.url)
    print(beside.line(rowCount, peer: "SQLite's VACUUM INTO", copying))
    let into = try await move(program, stops[1], stops[2], rows, in: folder.url)
    let dumping = try dumpSeconds(rows)
    print(into.line(rowCount, peer: "pg_dump into psql", dumping))
    let back = try await move(program, stops[2], stops[3], rows, in: folder.url)
    print(back.line(rowCount, peer: "pg_dump into psql", dumping))
}

/// The number behind `--assets` on the command line.
private func assetCount() -> Int {
    let words = CommandLine.arguments
    return zip(words, words.dropFirst()).first { $0.0 == "--assets" }.flatMap { Int($0.1) } ?? 100_000
}

/// Where a library is on its way.
private struct LibraryStop {
    let engine: String
    let library: URL
    /// Each `key=value`.
    let settings: [String]
}

/// What one move took.
private struct MoveCost {
    let name: String
    var seconds = 0.0
    var processor = Duration.zero
    var engineProcessor = Duration.zero
    var peakByteCount: Int64 = 0

    func line(_ rowCount: Int, peer: String, _ peerSeconds: Double) -> String {
        let engine = engineProcessor > .zero ? " and \(decimal(engineProcessor.seconds)) s of PostgreSQL's" : ""
        return
            "  \(name): \(decimal(seconds)) s, \(Int(Double(rowCount) / seconds)) rows a second, "
            + "CPU \(decimal(processor.seconds)) s\(engine), at most \(peakByteCount >> 20) MiB; "
            + "\(peer) \(decimal(peerSeconds)) s: ours is \(decimal(peerSeconds / seconds)) times as fast"
    }
}

/// Saves assets as a device does, each with a title and a keyword.
private func fill(_ library: URL, _ count: Int) async throws {
    let contents = (0..<1000).map { Array("original \($0)".utf8) }
    let digests = contents.map { ContentHasher.digest($0) }
    for (bytes, digest) in zip(contents, digests) {
        let originals = LibraryLayout(root: Path(library.path)).originals
        let address = ContentAddress(digest, contentType: "image/jpeg")
        let directory = URL(filePath: address.directory(in: originals).text)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: address.path(in: originals).text))
    }
    let store = try await LibraryStore.open(
        at: Path(library.path),
        effects: StoreEffects(
            now: { WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)) },
            randomBits: { UInt128.random(in: .min ... .max) },
            signer: UnsignedReceipts()
        ),
        logger: .init(label: "benchmark")
    )
    defer { store.close() }
    let device = DeviceID(rawValue: 1)
    try await enroll(device, in: store.metadata)
    var generator = SeededGenerator(seed: 5)
    for start in stride(from: 0, to: count, by: 500) {
        let requests = (start..<min(start + 500, count)).map { number in
            var manifest = plainManifest(at: 1_600_000_000_000 + Int64(number) * 60_000, &generator)
            manifest.title = "gate \(number % 5000)"
            manifest.keywords = Keyword("k\(number % 1000)").map { [$0] }
            let place = number % contents.count
            manifest.resources = manifest.resources.map { resource in
                AssetResource(
                    id: resource.id,
                    type: resource.type,
                    digest: digests[place],
                    byteCount: Int64(contents[place].count),
                    contentType: resource.contentType
                )
            }
            return CommitRequest(manifest: manifest, caller: .device(device), needsCreation: false)
        }
        for result in await store.metadata.commit(requests) { _ = try result.get() }
    }
}

/// Moves the library with the real program, whose memory is looked at every 20 ms.
private func move(
    _ program: URL,
    _ old: LibraryStop,
    _ new: LibraryStop,
    _ rows: BenchmarkRows,
    in folder: URL
) async throws -> MoveCost {
    let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = program
    process.arguments =
        ["migrate", "--json"] + old.settings.flatMap { ["--set", $0] } + new.settings.flatMap { ["--to-set", $0] }
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TINTYPE_") }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    var cost = MoveCost(name: "from \(old.engine) to \(new.engine)")
    let engineBefore = try rows.processorTime()
    let clock = ContinuousClock()
    let start = clock.now
    try process.runAlone()
    while process.isRunning {
        // Both only grow; of a process that has just ended, the memory is gone.
        if let usage = ProcessUsage(of: process.processIdentifier) {
            cost.processor = max(cost.processor, usage.processorTime)
            cost.peakByteCount = max(cost.peakByteCount, usage.peakByteCount)
        }
        try await Task.sleep(for: .milliseconds(20))
    }
    cost.seconds = (clock.now - start).seconds
    if [old, new].contains(where: { $0.engine == "PostgreSQL" }) {
        cost.engineProcessor = try rows.processorTime() - engineBefore
    }
    let report = try? JSONDecoder().decode(MoveReport.self, from: Data(contentsOf: output))
    guard process.terminationStatus == 0, report?.state == "moved" else {
        let said = try String(contentsOf: errors, encoding: .utf8)
        throw LoadError("migrate ended with \(process.terminationStatus): \(said.suffix(2000))")
    }
    return cost
}

private struct MoveReport: Decodable {
    let state: String
}

/// Seconds in which PostgreSQL's own tools copy a schema with its rows into another database.
private func dumpSeconds(_ rows: BenchmarkRows) throws -> Double {
    guard let folder = rows.folder, let connection = rows.connection, let programs = TestServer.programs else {
        throw LoadError("PostgreSQL has no address")
    }
    let script = """
        set -euo pipefail
        "$1/pg_dump" -h "$2" -U tintype -n "$3" postgres |
            "$1/psql" -X -q -o /dev/null -v ON_ERROR_STOP=1 -h "$2" -U tintype -d copied
        """
    try BenchmarkRows.runAlone("CREATE DATABASE copied", in: folder)
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = try ChildProcess.run("bash", ["-c", script, "bash", programs, folder, connection.schema])
    let seconds = (clock.now - start).seconds
    guard outcome.status == 0 else { throw LoadError("pg_dump into psql: \(outcome.errors)") }
    try BenchmarkRows.runAlone("DROP DATABASE copied", in: folder)
    return seconds
}
