import AgentStore
import Foundation
import Persistence
import PhotoModel
import Testing

struct MediaCacheTests {
    private let folder = StoreFolder()

    private func asset(_ number: UInt128) -> AssetID { AssetID(rawValue: number) }

    /// Writes a file, as if some hours ago.
    private func write(_ name: String, byteCount: Int, hoursAgo: Double, in cache: MediaCache) throws {
        let file = cache.folder.appending(name).text
        try Data(count: byteCount).write(to: URL(filePath: file))
        let date = Date(timeIntervalSinceNow: -3600 * hoursAgo)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }

    /// Takes over a file; the name that it has in the cache.
    private func take(_ number: UInt128, byteCount: Int = 100, limit: Int64, in cache: MediaCache) throws -> String {
        try write("\(asset(number))", byteCount: byteCount, hoursAgo: 0, in: cache)
        let fetched = cache.folder.appending("\(asset(number))")
        return try cache.take(fetched, as: "photo", of: asset(number), limit: limit).name
    }

    @Test("A load that goes on is neither counted nor removed; what a crash left of one goes after a day")
    func unfinished() throws {
        let cache = try folder.open().cache
        try PosixFileSystem().createDirectories(cache.folder)
        // Being written, and two that have their bytes and are not taken over yet.
        let running = [".\(asset(1)).part", "\(asset(1))", "\(asset(2)) (2)"]
        for name in running { try write(name, byteCount: 1000, hoursAgo: 2, in: cache) }
        try write(".\(asset(3)).part", byteCount: 1000, hoursAgo: 48, in: cache)
        var whole: [String] = []
        for number: UInt128 in 4...5 { whole.append(try take(number, limit: 250, in: cache)) }
        #expect(try PosixFileSystem().list(cache.folder) == (running + whole).sorted())
        whole.append(try take(6, limit: 250, in: cache))
        #expect(try PosixFileSystem().list(cache.folder) == (running + whole.dropFirst()).sorted())
    }

    @Test("A full disk gives up what was loaded before it refuses captures, the longest unused first, and none in vain")
    func givenUp() throws {
        let store = try folder.open(FaultyFileSystem(capacity: 100_000))
        try PosixFileSystem().createDirectories(store.cache.folder)
        var names: [String] = []
        for number: UInt128 in 1...3 {
            names.append(try take(number, byteCount: 20_000, limit: .max, in: store.cache))
        }
        var limits = SpaceLimits(reserveByteCount: 20_000)
        try store.add(Draft.photo(11, byteCount: 30_000), limits: limits, now: Draft.start)
        #expect(try PosixFileSystem().list(store.cache.folder) == Array(names.dropFirst()))
        let error = #expect(throws: AgentStoreError.self) {
            try store.add(Draft.photo(12, byteCount: 60_000), limits: limits, now: Draft.start)
        }
        #expect(error?.code == .full)
        limits = SpaceLimits(maximumByteCount: 40_000, reserveByteCount: 0)
        #expect(throws: AgentStoreError.self) {
            try store.add(Draft.photo(12, byteCount: 20_000), limits: limits, now: Draft.start)
        }
        #expect(try PosixFileSystem().list(store.cache.folder) == Array(names.dropFirst()), "nothing helps")
    }

    @Test("What was loaded goes before originals, also where it is not enough without them")
    func originalsLast() throws {
        let store = try folder.open(FaultyFileSystem(capacity: 100_000))
        try store.setDevice(Receipts.device)
        try PosixFileSystem().createDirectories(store.cache.folder)
        let limits = SpaceLimits(reserveByteCount: 10_000, dropsSaved: true)
        for number in 11...13 {
            let entry = try store.add(Draft.photo(number, byteCount: 20_000), limits: limits, now: Draft.start)
            try store.commit(Receipts.receipt(for: entry), of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        }
        _ = try take(1, byteCount: 20_000, limit: .max, in: store.cache)
        try store.add(Draft.photo(14, byteCount: 45_000), limits: limits, now: Draft.start)
        #expect(try PosixFileSystem().list(store.cache.folder) == [])
        let states = try store.entries().map(\.state)
        #expect(states == [.freed, .committed, .committed, .captured], "one original instead of two")
    }
}
