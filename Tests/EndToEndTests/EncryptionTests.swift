import Foundation
import Testing

/// A box whose captures are encrypted on its disk, by the real programs.
@Suite(.serialized)
struct EncryptionTests {
    private static let setting = ["--set", "queue.encryption=on"]

    /// Whether any file below the box's queue holds so many of a file's bytes.
    private func queueHolds(_ programs: Programs, _ file: URL) throws -> Bool {
        let piece = try Data(contentsOf: file).prefix(600).suffix(64)
        let originals = programs.root.appending(path: "box/originals")
        let files = FileManager.default.enumerator(at: originals, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            if let bytes = try? Data(contentsOf: file), bytes.range(of: piece) != nil { return true }
        }
        return false
    }

    @Test(
        "What is captured and imported lies encrypted on the box, and comes whole into the library, out again, and back"
    )
    func encrypted() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token(maximum: "readWrite")
        #expect(try programs.agent(["enroll", programs.url, "--token", token] + Self.setting).status == 0)
        let files = try programs.photos([1000, 70_000, 2_500_000])
        let plain = try programs.photos([3000], seed: 99)
        let folder = files[0].deletingLastPathComponent().path
        let imported = try programs.agent(["import", folder] + Self.setting)
        #expect(imported.status == 0, "\(imported.errors)")
        for file in files { #expect(try !queueHolds(programs, file)) }
        #expect(try programs.agent("import", plain[0].path).status == 0)
        #expect(try queueHolds(programs, plain[0]), "without the setting nothing is encrypted")
        let shot = try programs.agent(
            ["capture", "--camera", "synthetic-camera", "--live-photo"] + Self.setting
        )
        #expect(shot.status == 0, "\(shot.errors)")
        let out = programs.root.appending(path: "rescued")
        #expect(
            try programs.agent("queue", "export", out.path).status == 0,
            "the key is there also without the setting"
        )
        let rescued =
            FileManager.default.enumerator(at: out, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL } ?? []
        #expect(try Programs.digests(rescued.filter { !$0.hasDirectoryPath }).isSuperset(of: Programs.digests(files)))
        let sent = try programs.agent(["sync", "--once", "--json"] + Self.setting)
        #expect(try sent.json()["saved"] as? Int == 5, "\(sent.output) \(sent.errors)")
        #expect(try programs.originals().isSuperset(of: Programs.digests(files + plain)))
        let doctor = try programs.agent(["doctor"] + Self.setting).output
        #expect(doctor.contains("captures are encrypted"), "\(doctor)")
        #expect(try programs.agent("doctor").output.contains("captures are not encrypted"))
    }

    @Test("Without its key the queue is not touched, and the command says why")
    func lostKey() throws {
        let programs = try Programs()
        let files = try programs.photos([1000, 1001])
        #expect(try programs.agent(["import", files[0].path] + Self.setting).status == 0)
        let key = programs.root.appending(path: "box/identity/queue.key")
        try Data("not a key".utf8).write(to: key)
        let refused = try programs.agent(["import", files[0].path] + Self.setting)
        #expect(refused.status != 0 && refused.errors.contains("queue.key"), "\(refused.errors)")
        // Gone, and then another one: nothing goes on as if it were the queue's.
        try FileManager.default.removeItem(at: key)
        for setting in [Self.setting, []] {
            let gone = try programs.agent(["import", files[0].path] + setting)
            #expect(gone.status == 1 && gone.errors.contains("is gone"), "\(gone.errors)")
            #expect(!FileManager.default.fileExists(atPath: key.path), "no other key is made")
            let doctor = try programs.agent(["doctor"] + setting)
            #expect(doctor.status == 1 && doctor.output.contains("MEND  at rest"), "\(doctor.output)")
        }
        try Data(String(repeating: "ab", count: 32).utf8).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let other = try programs.agent(["import", files[0].path] + Self.setting)
        #expect(other.status == 1 && other.errors.contains("is not the one that the queue"), "\(other.errors)")
        try FileManager.default.removeItem(at: key)
        try FileManager.default.removeItem(at: key.appendingPathExtension("sha256"))
        #expect(try programs.agent(["import", files[1].path] + Self.setting).status == 0, "as the error says")
        let lost = try programs.agent(["import", files[0].path] + Self.setting)
        #expect(
            lost.status == 1 && (lost.output + lost.errors).contains("keep this file"),
            "\(lost.output) \(lost.errors)"
        )
    }
}
