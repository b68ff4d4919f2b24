import Foundation
import TestSupport
import Testing

/// The agent killed at random moments of taking in and of sending.
@Suite(.serialized)
struct AgentKillTests {
    @Test(
        "Promises 1, 3, 4, 5: an agent killed at any moment of import and sync loses nothing and makes no second asset"
    )
    func killed() throws {
        let rounds = Int(environmentNumber("TINTYPE_AGENT_KILL_ROUNDS") ?? 12)
        let seed = environmentNumber("TINTYPE_AGENT_KILL_SEED") ?? 1
        var generator = SeededGenerator(seed: seed)
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        var files: [URL] = []
        for round in 0..<rounds {
            let sizes = [1000, 60_000, round % 3 == 0 ? 1_500_000 : 20_000]
            let batch = try programs.photos(sizes, seed: UInt8(round % 252))
            files += batch
            // From before the first byte to well behind the last: a program of a debug build needs most of a second.
            let orders = [
                ["import", batch[0].deletingLastPathComponent().path],
                ["sync", "--once", "--set", "sync.appendBytes=65536"],
            ]
            for arguments in orders {
                let started = try programs.startAgent(arguments)
                usleep(UInt32(generator.below(900_000)))
                kill(started.process.processIdentifier, SIGKILL)
                _ = try started.end()
            }
        }
        let folders = Set(files.map { $0.deletingLastPathComponent().path }).sorted()
        #expect(try programs.agent(["import"] + folders).status == 0, "seed \(seed)")
        let sync = try programs.agent("sync", "--once", "--json")
        #expect(sync.status == 0, "seed \(seed): \(sync.output) \(sync.errors)")
        #expect(try programs.agent("sync", "--once", "--json").json()["outcome"] as? String == "nothingToDo")
        let wanted = try Programs.digests(files)
        let assets = try programs.call("GET", "/v1/assets?limit=500")["assets"] as? [[String: Any]] ?? []
        #expect(assets.count == min(500, wanted.count), "seed \(seed): each photo is one asset")
        #expect(try programs.originals() == wanted, "seed \(seed): each byte is there")
        let kept = try FileManager.default.contentsOfDirectory(
            atPath: programs.root.appending(path: "box/spool").path
        )
        #expect(kept.isEmpty, "nothing unfinished is left: \(kept)")
    }
}
