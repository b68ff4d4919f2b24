import Foundation
import Testing

/// The life of a box's identity, by the real programs over TLS.
@Suite(.serialized)
struct IdentityTests {
    private let programs: Programs
    private let device: String

    init() throws {
        programs = try Programs()
        try programs.start()
        let enrolled = try programs.agent("enroll", programs.url, "--token", try programs.token(), "--json")
        device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
    }

    private var box: URL { programs.root.appending(path: "box") }
    private func text(_ name: String) throws -> String {
        try String(contentsOf: box.appending(path: "identity/\(name)"), encoding: .utf8)
    }

    @Test("A token comes from a file or from standard input, so that no list of processes shows it")
    func hiddenToken() throws {
        let programs = try Programs()
        try programs.start()
        let file = programs.root.appending(path: "token")
        try Data("\(try programs.token())\n".utf8).write(to: file)
        let read = try programs.agent("enroll", programs.url, "--token-file", file.path)
        #expect(read.status == 0, "\(read.errors)")
        let typed = try programs.agent(
            reading: try programs.token(),
            ["enroll", programs.url, "--token", "-"],
            box: "other"
        )
        #expect(typed.status == 0, "\(typed.errors)")
        let link = programs.root.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try Data("\(try programs.token())\n".utf8).write(to: file)
        let linked = try programs.agent("enroll", programs.url, "--token-file", link.path, box: "fourth")
        #expect(linked.status == 0, "\(linked.errors)")
        let both = try programs.agent("enroll", programs.url, "--token", "a", "--token-file", "b", "--json")
        #expect(both.status == 64 && both.errors.contains("not both"), "\(both.errors)")
        #expect(try both.json()["error"] as? String == "usage" && both.json()["message"] != nil, "\(both.output)")
        let missing = try programs.agent("enroll", programs.url, "--token-file", "/nowhere", box: "third")
        #expect(missing.status == 64 && missing.errors.contains("/nowhere"), "\(missing.errors)")
    }

    @Test("A new certificate for the same key, and a new key, go on as the same device with the same decisions")
    func renewAndRotate() throws {
        let key = try text("key.pem")
        let chain = try text("device.json")
        #expect(try programs.agent("identity", "renew").status == 0)
        #expect(try text("key.pem") == key)
        #expect(try text("device.json") != chain)
        let rotated = try programs.agent("identity", "rotate")
        #expect(rotated.status == 0, "\(rotated.errors)")
        #expect(try text("key.pem") != key)
        let names = try FileManager.default.contentsOfDirectory(atPath: box.appending(path: "identity").path)
        #expect(!names.contains("key.next.pem"))
        let files = try programs.photos([1000])
        #expect(try programs.agent("import", files[0].path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.agent("status", "--json").json()["deviceID"] as? String == device)
        let certificates = try text("device.json")
        #expect(try programs.agent("enroll").status == 0, "it only tells that it is a device")
        #expect(try text("device.json") == certificates)
        #expect(try programs.agent("identity", "rotate").status == 0, "and once more")
        #expect(try programs.agent("sync", "--once").status == 0)
    }

    @Test("A change of keys that was cut off before its answer goes on with the same new key")
    func interruptedRotation() throws {
        programs.stop()
        #expect(try programs.agent("identity", "rotate").status == 69)
        let next = try text("key.next.pem")
        try programs.start()
        #expect(try programs.agent("sync", "--once").status == 0, "the old key is good meanwhile")
        #expect(try programs.agent("identity", "rotate").status == 0)
        #expect(try text("key.pem") == next)
        #expect(try programs.agent("sync", "--once").status == 0)
    }

    @Test(
        "A revoked box keeps its queue; one that is asked to erase itself does, and is nobody's device any more"
    )
    func wipe() throws {
        let files = try programs.photos([1000])
        #expect(try programs.agent("import", files[0].path).status == 0)
        _ = try programs.call("POST", "/v1/admin/devices/\(device)/revoke", "{}")
        #expect(try programs.agent("sync", "--once").status == 77)
        #expect(try programs.agent("queue", "list", "--json").output.contains("held"))
        _ = try programs.call("POST", "/v1/admin/devices/\(device)/wipe", "{}")
        #expect(try programs.agent("sync", "--once").status == 77)
        #expect(try programs.agent("queue", "list", "--json").output == "[]\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.appending(path: "originals").path).isEmpty)
        let left = try FileManager.default.contentsOfDirectory(atPath: box.appending(path: "identity").path)
        #expect(left.isEmpty, "\(left)")
        let audit = try programs.operate("audit", "export", "--device", device).output
        #expect(audit.contains("the device erased itself"), "that it was done is in the audit: \(audit)")
        #expect(try programs.agent("sync", "--once").status == 78)
    }
}
