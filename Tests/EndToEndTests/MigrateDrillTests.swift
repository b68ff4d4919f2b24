import Foundation
import Testing

struct MigrateDrillTests {
    @Test(
        "A library moves beside its server, killed at any moment and run again; the old one is refused, the box goes on"
    )
    func drill() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let before = try programs.photos([1000, 3_000_000, 20_000, 700, 5000], seed: 1)
        #expect(try programs.agent("import", before[0].deletingLastPathComponent().path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)

        let destination = programs.root.appending(path: "new").path
        let old = "library.path=\(programs.library.path)"
        let arguments = ["migrate", "--json", "--set", old, "--to-set", "library.path=\(destination)"]
        let planned = try programs.run("tintype-server", arguments + ["--dry-run"])
        #expect(try planned.json()["state"] as? String == "planned", "\(planned.errors)")
        let beside = try programs.run("tintype-server", arguments)
        #expect(beside.status == 75, "\(beside.errors)")
        #expect(try beside.json()["state"] as? String == "copied")
        let after = try programs.photos([2000, 4_000_000], seed: 2)
        #expect(try programs.agent("import", after[0].deletingLastPathComponent().path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        programs.stop()

        // Killed after longer and longer, until one attempt reaches its end first.
        var milliseconds: UInt32 = 10
        var attempt = try programs.startServerCommand(arguments)
        while true {
            usleep(milliseconds * 1000)
            kill(attempt.process.processIdentifier, SIGKILL)
            let result = try attempt.end()
            if attempt.process.terminationReason == .exit {
                #expect(result.status == 0, "\(result.errors)")
                #expect(try result.json()["state"] as? String == "moved")
                break
            }
            milliseconds += milliseconds / 2
            attempt = try programs.startServerCommand(arguments)
        }
        let refused = try programs.run("tintype-server", ["serve", "--set", old])
        #expect(refused.status == 78)
        #expect(refused.errors.contains("the library moved to \(destination)"), "\(refused.errors)")

        programs.libraryName = "new"
        try programs.start()
        #expect(try programs.originals() == Programs.digests(before + after))
        #expect(try programs.operate("library", "verify", "--hash").status == 0)
        let again = try programs.agent("sync", "--once", "--json")
        #expect(try again.json()["outcome"] as? String == "nothingToDo", "\(again.output)")
        let last = try programs.photos([900], seed: 3)
        #expect(try programs.agent("import", last[0].deletingLastPathComponent().path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(before + after + last))
    }
}
