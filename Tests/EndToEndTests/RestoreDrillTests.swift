import Foundation
import Testing

@Suite(.serialized)
struct RestoreDrillTests {
    @Test(
        "The server's disk dies: restored from an older backup, the box says so and fills what came since, and nobody enrols"
    )
    func drill() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let before = try programs.photos([1000, 3_000_000], seed: 1)
        #expect(try programs.agent("import", before[0].deletingLastPathComponent().path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        let backup = programs.root.appending(path: "backup").path
        let made = try programs.operate("library", "backup", backup)
        #expect(made.status == 0 && made.output.contains("2 contents"), "\(made.output) \(made.errors)")
        let after = try programs.photos([2000, 4_000_000], seed: 2)
        #expect(try programs.agent("import", after[0].deletingLastPathComponent().path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)

        let restored = try programs.loseDiskAndRestore(from: backup)
        #expect(restored.status == 0 && restored.output.contains("2 contents"), "\(restored.output) \(restored.errors)")
        try programs.start()
        #expect(try programs.originals() == Programs.digests(before))
        let service = try programs.startAgent(["run"])
        defer { service.process.terminate() }
        try programs.eventually("the service sends again what came after the backup") {
            try programs.originals() == Programs.digests(before + after)
        }
        try programs.eventually("it has every receipt") {
            let owed = try programs.agent("queue", "list", "--state", "captured", "--state", "uploading", "--json")
            return owed.output.filter { !$0.isWhitespace } == "[]"
        }
        service.process.terminate()
        let log = try service.end().errors
        #expect(log.contains("captures are offered again") && log.contains("assets=4"), "\(log)")
        #expect(try programs.operate("library", "verify", "--hash").status == 0)
        let again = try programs.agent("sync", "--once", "--json")
        #expect(try again.json()["outcome"] as? String == "nothingToDo", "\(again.output)")
    }

    @Test("An original rots: repair sets it apart, the box that still has it sends it again, and the library is whole")
    func rot() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let photos = try programs.photos([5000, 90_000], seed: 3)
        #expect(try programs.agent("import", photos[0].deletingLastPathComponent().path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(photos), "they are plain files by now")
        let digest = try #require(try Programs.digests([photos[1]]).first)
        let file = programs.library.appending(path: "originals/\(digest.prefix(2))/\(digest.dropFirst(2).prefix(2))")
            .appending(path: "\(digest).jpg")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        var bytes = try Data(contentsOf: file)
        bytes[700] ^= 1
        try bytes.write(to: file)
        #expect(try programs.operate("library", "verify").status == 0, "lengths agree")
        let found = try programs.operate("library", "verify", "--hash")
        #expect(found.status == 1 && found.output.contains("wrongDigest"), "\(found.output)")
        #expect(try programs.operate("library", "repair", "--hash", "--yes").output.contains("yes"))
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(photos))
        #expect(try programs.operate("library", "verify", "--hash").status == 0)
    }
}
