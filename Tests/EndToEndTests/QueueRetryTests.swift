import AgentStore
import Foundation
import Persistence
import PhotoModel
import Testing

/// `tintype-agent queue retry`: what was refused, or belongs to a former identity of the box, goes again.
@Suite(.serialized)
struct QueueRetryTests {
    /// A server, and a box that is its device and has taken photos in.
    private struct Scene {
        let programs: Programs
        let device: String
        let files: [URL]
        let ids: [AssetID]

        init(_ sizes: [Int]) throws {
            programs = try Programs()
            try programs.start()
            let enrolled = try programs.agent("enroll", programs.url, "--token", try programs.token(), "--json")
            device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
            files = try programs.photos(sizes)
            #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
            ids = try Self.queue(programs).compactMap { ($0["id"] as? String).flatMap { AssetID($0) } }
            try #require(ids.count == sizes.count)
        }

        /// Changes the queue while no command has it open.
        func change(_ change: (AgentStore) throws -> Void) throws {
            let box = Path(programs.root.appending(path: "box").path)
            try change(try AgentStore(root: box, now: WallTime(microsecondsSince1970: 0)))
        }

        func retry(_ arguments: String...) throws -> Programs.Result {
            try programs.agent(["queue", "retry"] + arguments)
        }

        func sync() throws -> Programs.Result { try programs.agent("sync", "--once", "--json") }

        /// The queue's entries, oldest first.
        func queue() throws -> [[String: Any]] { try Self.queue(programs) }

        func states() throws -> [String] { try queue().compactMap { $0["state"] as? String } }

        private static func queue(_ programs: Programs) throws -> [[String: Any]] {
            let listed = try programs.agent("queue", "list", "--json")
            return try #require(
                JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]],
                "\(listed.errors)"
            )
        }
    }

    @Test("A dead letter that is named goes again and the others stay; with --all every one goes, and all arrive")
    func deadLetters() throws {
        let scene = try Scene([1000, 2000, 3000])
        try scene.change { store in
            for id in scene.ids { try store.reject(id, "resource.invalid: no") }
        }
        let one = try scene.retry(scene.ids[1].description)
        #expect(one.status == 0 && one.output == "1 will be sent again.\n", "\(one.errors)")
        #expect(try scene.states() == ["deadLetter", "captured", "deadLetter"])
        #expect(try scene.queue()[1]["problem"] == nil)
        #expect(try scene.sync().json()["saved"] as? Int == 1, "the other two stay where they are")
        let all = try scene.retry("--all", "--json")
        #expect(try all.status == 0 && all.json()["retried"] as? Int == 2, "\(all.errors)")
        #expect(try scene.sync().json()["saved"] as? Int == 2)
        #expect(try scene.states() == ["committed", "committed", "committed"])
        #expect(try scene.programs.originals() == Programs.digests(scene.files))
        let saved = try scene.retry(scene.ids[0].description)
        #expect(saved.status == 1 && saved.errors.contains("no such entry is waiting"), "\(saved.errors)")
    }

    @Test("What belongs to a former identity is held until --adopt makes it this device's; --all alone leaves it")
    func adopted() throws {
        let scene = try Scene([1000, 2000])
        try scene.change { store in
            for id in scene.ids { try store.retry(id, as: DeviceID(rawValue: 7)) }
        }
        let held = try scene.sync()
        #expect(try held.json()["holds"] as? [String: Int] == ["revoked": 2], "\(held.output) \(held.errors)")
        #expect(try scene.retry("--all").output == "0 will be sent again.\n")
        #expect(try scene.states() == ["held", "held"])
        let adopted = try scene.retry("--all", "--adopt")
        #expect(adopted.status == 0 && adopted.output == "2 will be sent again.\n", "\(adopted.errors)")
        let owners = try scene.queue().map { ($0["manifest"] as? [String: Any])?["deviceID"] as? String }
        #expect(owners == [scene.device, scene.device])
        let sync = try scene.sync()
        #expect(try sync.status == 0 && sync.json()["saved"] as? Int == 2, "\(sync.output) \(sync.errors)")
        #expect(try scene.programs.originals() == Programs.digests(scene.files))
    }

    @Test("Naming nothing, or everything twice, is a wrong command line; a box that is no device adopts nothing")
    func refused() throws {
        let box = try Box()
        let id = "0198f3c2-0000-7000-8000-000000000000"
        for arguments in [[], ["--all", id], ["nonsense"]] {
            #expect(try box.agent(["queue", "retry"] + arguments).status == 64, "\(arguments)")
        }
        let unknown = try box.agent(["queue", "retry", id])
        #expect(unknown.status == 1 && unknown.errors.contains("tintype-agent queue list"), "\(unknown.errors)")
        let nobody = try box.agent(["queue", "retry", "--all", "--adopt"])
        #expect(nobody.status == 78 && nobody.errors.contains("tintype-agent enroll"), "\(nobody.errors)")
        #expect(try box.agent(["queue", "retry", "--all"]).output == "0 will be sent again.\n")
    }
}
