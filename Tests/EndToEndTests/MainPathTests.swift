import Foundation
import Persistence
import PhotoModel
import Testing

@Suite(.serialized)
struct MainPathTests {
    @Test(
        "A bare box becomes a device, takes photos in, and the library has them byte for byte; again there is nothing to do"
    )
    func mainPath() throws {
        let programs = try Programs()
        try programs.start()
        let enrolled = try programs.agent("enroll", programs.url, "--token", try programs.token())
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        let files = try programs.photos([1000, 500_000, 20_000_000])
        #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
        let sync = try programs.agent("sync", "--once", "--json")
        #expect(sync.status == 0, "\(sync.errors)")
        #expect(try sync.json()["saved"] as? Int == 3)
        #expect(try programs.originals() == Programs.digests(files))
        let again = try programs.agent("sync", "--once", "--json")
        #expect(try again.json()["outcome"] as? String == "nothingToDo")
        let repeated = try programs.agent("import", files[0].deletingLastPathComponent().path, "--json")
        #expect(try repeated.json()["known"] as? Int == 3, "an import known by its bytes makes no second asset")
    }

    @Test("000.5: what is captured while the server is away is kept, and sent when it is back")
    func serverAway() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        programs.stop()
        let files = try programs.photos([1000, 3_000_000])
        #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
        let away = try programs.agent("sync", "--once", "--json")
        #expect(away.status == 69)
        #expect(try away.json()["waiting"] as? Int == 2)
        try programs.start()
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(files))
    }

    @Test("000.20, 002.20: a device that is denied keeps its captures and says so; they go after the decision")
    func denied() throws {
        let programs = try Programs()
        try programs.start()
        let enrolled = try programs.agent("enroll", programs.url, "--token", try programs.token(), "--json")
        let device = try #require(enrolled.json()["deviceID"] as? String)
        let files = try programs.photos([1000])
        #expect(try programs.agent("import", files[0].path).status == 0)
        try decide(programs, device, "none")
        let held = try programs.agent("sync", "--once", "--json")
        #expect(held.status == 77, "\(held.output) \(held.errors)")
        #expect(try held.json()["holds"] as? [String: Int] == ["denied": 1])
        try decide(programs, device, "add-only")
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(files))
    }

    @Test("T11: a box does not enrol with a server that is not the one it was invited to")
    func impostor() throws {
        let programs = try Programs()
        try programs.start()
        let wrong = try programs.agent("enroll", programs.url, "--ca-fingerprint", String(repeating: "ab", count: 32))
        #expect(wrong.status == 69 && wrong.errors.contains("nothing was sent"), "\(wrong.errors)")
    }

    private func decide(_ programs: Programs, _ device: String, _ answer: String) throws {
        _ = try programs.call(
            "POST",
            "/v1/admin/devices/\(device)/decision",
            #"{"answer":"\#(answer)","reason":"test"}"#
        )
    }
}
