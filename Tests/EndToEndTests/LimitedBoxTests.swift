import Foundation
import Testing

/// A limited box that asks for more by itself.
@Suite(.serialized)
struct LimitedBoxTests {
    private func expansions(_ programs: Programs) throws -> [[String: Any]] {
        try programs.call("GET", "/v1/admin/requests")["expansions"] as? [[String: Any]] ?? []
    }

    @Test("004.65, 004.66: a limited box asks for more by itself only where its settings want that, and once a day")
    func reminder() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token(maximum: "readWrite")
        let enrolled = try programs.agent("enroll", programs.url, "--token", token, "--json")
        let device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
        #expect(try programs.operate("device", "decide", device, "--as", "selected").status == 0)
        let wanted = ["--set", "library.preventAutomaticLimitedPrompt=false"]
        func sync(_ settings: [String]) throws {
            for _ in 0..<2 {
                let synced = try programs.agent(["sync", "--once"] + settings)
                #expect(synced.status == 0, "\(synced.output) \(synced.errors)")
            }
        }
        try sync([])
        #expect(try expansions(programs).isEmpty, "nothing is asked unless it is set")
        try sync(wanted)
        let asked = try expansions(programs)
        #expect(asked.map { $0["reason"] as? String } == ["Edits photos in tests"])
        #expect(try programs.operate("request", "expand", device, "--refuse").status == 0)
        #expect(try expansions(programs).isEmpty)
        try sync(wanted)
        #expect(try expansions(programs).isEmpty, "not twice a day")
    }
}
