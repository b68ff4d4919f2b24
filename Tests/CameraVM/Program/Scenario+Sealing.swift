import Foundation

extension Scenario {
    /// The box's secrets, sealed by a TPM through the real `systemd-creds`.
    static let sealing = [
        Scenario("sealing.tpm", .softwareTPM) { report in
            let (own, other) = (try SoftwareTPM("own"), try SoftwareTPM("other"))
            let box = try SealedBox()

            var tpm = try await own.start()
            defer { tpm.end() }
            let first = box.agent(["capture"], mayUseTPM: false)
            await report.check("a user who may not use the TPM captures all the same", first.isDone, first.text)
            await report.check("the queue's key is a file then", try box.keys() == ["queue.key"], try box.keys())
            try box.enroll()
            let secrets = try box.secrets()
            await report.check("and its bytes lie on the disk", secrets.allSatisfy(box.holds) && secrets.count == 2)

            let second = box.agent(["capture"])
            await report.check("the first start that may use it captures", second.isDone, second.text)
            let sealed = ["key.pem.sealed", "queue.key.sealed"]
            await report.check("and seals both keys", try box.keys() == sealed, try box.keys())
            await report.check("whose bytes lie nowhere on the disk", !secrets.contains(where: box.holds))
            let good = box.agent(["doctor"])
            await report.check(
                "doctor says that the TPM seals both",
                good.text.contains("encrypted by a key that the TPM seals, the box's key is sealed by its TPM"),
                good.text
            )
            let before = try box.bytes()

            tpm.end()
            try await SoftwareTPM.waitUntilGone()
            let none = box.agent(["capture"])
            await report.check("without a TPM nothing opens", !none.isDone, none.text)
            await report.check("which is said", none.text.contains("has no TPM (/dev/tpmrm0)"), none.text)

            tpm = try await other.start()
            for arguments in [["capture"], ["queue", "export", box.exported("stolen")]] {
                let foreign = box.agent(arguments)
                let advice = foreign.text.contains("sealed by another box's TPM: put the disk back")
                await report.check("with another box's TPM \(arguments[0]) fails", !foreign.isDone, foreign.text)
                await report.check("and says what to do", advice && foreign.text.contains("queue.key"), foreign.text)
            }
            await report.check("nothing is exported", !Machine.exists(box.exported("stolen")))
            let bad = box.agent(["doctor"])
            let mending = bad.text.split(separator: "\n").contains { $0.hasPrefix("MEND") && $0.contains("key.pem") }
            await report.check("doctor says that the key has to be mended", mending && !bad.isDone, bad.text)
            await report.check("no attempt changed a file", try box.bytes() == before)

            tpm.end()
            try await SoftwareTPM.waitUntilGone()
            tpm = try await own.start()
            let refused = box.agent(["queue", "export", box.exported("refused")], mayUseTPM: false)
            await report.check(
                "a user who may not use the TPM is told the group",
                !refused.isDone && refused.text.contains("may not use the TPM: add it to the group of /dev/tpmrm0"),
                refused.text
            )
            let export = box.agent(["queue", "export", box.exported("own")])
            await report.check(
                "in its own box, after a power cut, both photos are exported",
                export.isDone,
                export.text
            )
            let photos = try box.photos("own")
            await report.check("as they were taken", photos.count == 2 && photos.allSatisfy(\.isWhole), photos)
        }
    ]
}

/// A box whose agent is a user of its own, as the service's is, and encrypts its queue.
private struct SealedBox: Sendable {
    private static let user: UInt32 = 4711
    private let home = "\(Machine.folder)/sealed"
    private var folder: String { "\(home)/agent" }
    private var identity: String { "\(folder)/identity" }

    init() throws {
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try give(home)
    }

    /// Runs the agent as its user, who is in the TPM's group or not.
    func agent(_ arguments: [String], mayUseTPM: Bool = true) -> (isDone: Bool, text: String) {
        let groups = mayUseTPM ? ["--groups", "\(SoftwareTPM.group)"] : ["--clear-groups"]
        let settings = [
            "agent.path=\(folder)", "queue.encryption=on", "capture.consent=authorized",
            "capture.camera.usage=Testing", "capture.microphone.usage=Testing",
        ]
        do {
            let user = ["--reuid", "\(Self.user)", "--regid", "\(Self.user)"] + groups
            let command = [Machine.agent] + arguments + settings.flatMap { ["--set", $0] }
            return (true, try Machine.run("setpriv", user + command))
        } catch {
            return (false, "\(error)")
        }
    }

    /// Leaves what an enrolment leaves: a key, and a library, which cannot be reached.
    func enroll() throws {
        let (key, certificate) = ("\(identity)/key.pem", "\(home)/certificate.pem")
        try Machine.run(
            "openssl",
            ["genpkey", "-quiet", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key]
        )
        try Machine.run("openssl", ["req", "-x509", "-key", key, "-subj", "/CN=box", "-out", certificate])
        let chain = try String(contentsOfFile: certificate, encoding: .utf8)
        let documents =
            [
                "pinned.json": Documents.Pinned(url: "https://127.0.0.1:9", authority: chain, receiptKeys: []),
                "device.json": Documents.Device(id: "2XQEFEW-0GW2P16-PCKVJTY-Y396924", certificateChain: chain),
            ] as [String: any Encodable]
        for (name, document) in documents {
            try Machine.write(JSONEncoder().encode(document), to: "\(identity)/\(name)")
        }
        for name in ["key.pem"] + documents.keys { try give("\(identity)/\(name)") }
        guard unsafe chmod(key, 0o600) == 0 else { throw MachineError("\(key) cannot be closed: \(errno)") }
    }

    /// The names of the files that hold keys.
    func keys() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: identity)
            .filter { $0.contains("key") && !$0.hasSuffix(".sha256") }.sorted()
    }

    /// A line of each key, which is in its file as long as it is not sealed.
    func secrets() throws -> [String] {
        try keys().compactMap { name in
            let lines = try String(contentsOfFile: "\(identity)/\(name)", encoding: .utf8).split(separator: "\n")
            return lines.first { !$0.hasPrefix("-") }.map(String.init)
        }
    }

    /// Whether any file of the box has this text.
    func holds(_ text: String) -> Bool {
        (try? Machine.run("grep", ["-rqaF", "-e", text, home])) != nil
    }

    /// The bytes of the keys and of what is in the queue.
    func bytes() throws -> [String: [UInt8]] {
        let names =
            try keys().map { "identity/\($0)" }
            + FileManager.default
            .subpathsOfDirectory(atPath: "\(folder)/originals").map { "originals/\($0)" }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, (try? Machine.read("\(folder)/\($0)")) ?? []) })
    }

    /// The folder of an export.
    func exported(_ name: String) -> String { "\(home)/exported-\(name)" }

    /// What an export gave for each photo.
    func photos(_ name: String) throws -> [ExportedPhoto] {
        let root = exported(name)
        return try FileManager.default.contentsOfDirectory(atPath: root).flatMap { asset in
            let manifest = try Machine.read("\(root)/\(asset)/manifest.json")
            let resources = try JSONDecoder().decode(Documents.Manifest.self, from: Data(manifest)).resources
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(asset)")
            let images = files.filter { $0.uppercased().hasSuffix(".JPG") }.map { "\(root)/\(asset)/\($0)" }
            return try zip(images, resources).map { image, resource in
                let digest = try Machine.run("sha256sum", [image]).prefix(64)
                return ExportedPhoto(wanted: resource.digest, found: String(digest))
            }
        }
    }

    private func give(_ path: String) throws {
        guard unsafe chown(path, Self.user, Self.user) == 0 else {
            throw MachineError("\(path) cannot be given away: \(errno)")
        }
    }
}

/// What was noted of a photo when it was taken, and what it is now.
private struct ExportedPhoto: Sendable {
    let wanted: String
    let found: String

    var isWhole: Bool { wanted == found }
}

/// The agent's files, as far as they are written and read here.
private enum Documents {
    struct Pinned: Encodable {
        let url: String
        let authority: String
        let receiptKeys: [String]
    }

    struct Device: Encodable {
        let id: String
        let certificateChain: String
    }

    struct Manifest: Decodable {
        struct Resource: Decodable {
            let digest: String
        }

        let resources: [Resource]
    }
}
