import AgentStore
import Foundation
import Glibc
import LibraryAPI
import Persistence
import PhotoModel
import TestSupport
import Testing

struct KillTests {
    @Test(
        "Promise 1: a queue whose writer is killed at any instant has every capture that was reported, whole and once"
    )
    func kill() throws {
        let folder = StoreFolder()
        let rounds = Int(environmentNumber("TINTYPE_KILL_ROUNDS") ?? 20)
        var reported: Set<AssetID> = []
        for round in 0..<rounds {
            reported.formUnion(try writeAndKill(folder.path, captures: 1 + round % 7))
            let store = try folder.open()
            let entries = try store.entries(limit: .max)
            let found = Set(entries.map(\.id))
            #expect(reported.isSubset(of: found), "round \(round) lost a capture")
            #expect(found.count == entries.count)
            #expect(store.recovery.lost.isEmpty)
            for entry in entries {
                #expect(entry.manifest.resources.count == 2)
                #expect(try store.damage(of: entry) == nil)
            }
            #expect(try PosixFileSystem().list(store.spool).isEmpty)
        }
        #expect(reported.count >= rounds)
    }

    /// Starts the writer, waits for so many reports, kills it in the middle of the next, and gives all its reports.
    private func writeAndKill(_ path: Path, captures: Int) throws -> Set<AssetID> {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: "queue-writer")
        process.arguments = [path.text]
        let output = Pipe.unshared()
        process.standardOutput = output
        try process.runAlone()
        var text = Data()
        while text.count(where: { $0 == 0x0A }) < captures {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += more
        }
        // How far the next capture gets is left to chance: a few hundred microseconds, spent without sleeping.
        var spins = UInt64.random(in: 0..<400_000)
        while spins > 0 { spins -= 1 }
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        text += output.fileHandleForReading.readDataToEndOfFile()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        return Set(lines.compactMap { AssetID(String($0)) })
    }
}
