import Foundation
import Testing

/// How a box becomes a device while its service runs, and what a refusal leaves behind.
@Suite(.serialized)
struct AdmissionTests {
    @Test("A box that waits for admission runs as a service, says so, and sends what it has once it is admitted")
    func service() throws {
        let programs = try Programs()
        try programs.start(settings: ["enrollment.open=true"])
        let asked = try programs.agent("enroll", programs.url, "--ca-fingerprint", programs.authority)
        #expect(asked.status == 4, "\(asked.errors)")
        let photo = try programs.photos([1000])[0]
        #expect(try programs.agent("import", photo.path).status == 0)

        let service = try programs.startAgent(["run"])
        defer { service.process.terminate() }
        try programs.eventually("the service listens") {
            let socket = programs.root.appending(path: "box/agent.sock").path
            return FileManager.default.fileExists(atPath: socket) || !service.process.isRunning
        }
        try programs.eventually("what was captured is held") {
            try programs.agent("status", "--json").json()["holds"] as? [String: Int] == ["pending": 1]
        }
        let waiting = try programs.agent("status", "--json").json()
        #expect(waiting["identityHold"] as? String == "pending", "\(waiting)")
        let explained = try programs.agent("status", "--explain")
        #expect(explained.output.contains("1 held (pending)") && explained.output.contains("tintypectl request list"))
        try programs.eventually("what the library says of it is told, which may be no") {
            let status = try programs.agent("status", "--json").json()
            return (status["admission"] as? String)?.contains("tintypectl request list") ?? false
        }
        let beside = try programs.agent("enroll")
        #expect(beside.status == 4 && beside.errors.contains("polls for the decision"), "\(beside.errors)")
        let again = try programs.agent("enroll", programs.url, "--ca-fingerprint", programs.authority)
        #expect(again.status == 1 && again.errors.contains("systemctl stop tintype-agent"), "\(again.errors)")

        let device = try #require(
            programs.operate("device", "list", "--quiet").output.split(separator: "\n").first.map(String.init)
        )
        let approved = try programs.operate("device", "approve", device, "--as", "add-only", "--yes")
        #expect(approved.status == 0, "\(approved.errors)")
        try programs.eventually("what was captured before is in the library") {
            try programs.call("GET", "/v1/assets")["assets"].flatMap { ($0 as? [Any])?.count } == 1
        }
        let admitted = try programs.agent("status", "--json").json()
        #expect(admitted["deviceID"] as? String == device && admitted["identityHold"] == nil, "\(admitted)")
        #expect(admitted["admission"] == nil)
        let listed = try programs.operate("device", "show", String(device.prefix(7)))
        #expect(listed.status == 0 && listed.output.contains(device), "the start of an identifier names it")

        let revoked = try programs.operate("device", "revoke", device, "--yes")
        #expect(revoked.status == 0, "\(revoked.errors)")
        try programs.eventually("the service knows that it was revoked") {
            try programs.agent("status", "--json").json()["identityHold"] as? String == "revoked"
        }
        service.process.terminate()
        let log = try service.end().errors
        #expect(log.contains("the agent is running") && log.contains("the library admitted this box"), "\(log)")
        #expect(log.contains("captures were saved") && log.contains("assets=1"), "\(log)")
        let warnings = log.split(separator: "\n").filter { $0.contains("warning") && $0.contains("revoked") }
        #expect(warnings.count == 1 && warnings[0].contains("does not recognise this box"), "\(log)")
    }

    @Test("A box that was refused while it waited says so everywhere, and is admitted by a token")
    func refusedWhileWaiting() throws {
        let programs = try Programs()
        try programs.start(settings: ["enrollment.open=true"])
        #expect(try programs.agent("enroll", programs.url, "--ca-fingerprint", programs.authority).status == 4)
        let early = try programs.agent("authorize")
        #expect(early.status == 4 && early.errors.contains("tintype-agent enroll --wait"), "\(early.errors)")
        let photo = try programs.photos([1000])[0]
        #expect(try programs.agent("import", photo.path).status == 0)
        let device = try #require(
            programs.operate("device", "list", "--quiet").output.split(separator: "\n").first.map(String.init)
        )
        #expect(try programs.operate("device", "revoke", device, "--yes").status == 0)
        #expect(try programs.agent("enroll").status == 77)
        for command in [["sync", "--once"], ["authorize"]] {
            let refused = try programs.agent(command)
            #expect(refused.status == 77 && refused.errors.contains("enroll URL --token TOKEN"), "\(refused)")
        }
        let status = try programs.agent("status", "--json").json()
        #expect(status["identityHold"] as? String == "revoked" && status["revokedAt"] == nil, "\(status)")
        #expect(status["holds"] as? [String: Int] == ["revoked": 1])
        let explained = try programs.agent("status", "--explain").output
        #expect(!explained.contains("waiting for an administrator"), "\(explained)")
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let sent = try programs.agent("sync", "--once")
        #expect(sent.status == 0 && sent.output.contains("1 saved"), "\(sent)")
    }

    @Test("An attempt to enrol that is refused leaves the box as it was, and every command says the same of it")
    func refused() throws {
        let programs = try Programs()
        try programs.start()
        let wrong = String(repeating: "0", count: 32)
        let token = "TT1.\(programs.authority).\(wrong)"
        let refused = try programs.agent("enroll", programs.url, "--token", token)
        #expect(refused.status == 77, "\(refused.errors)")
        let other = String(repeating: "ab", count: 32)
        #expect(try programs.agent("enroll", programs.url, "--ca-fingerprint", other).status == 69)
        let sync = try programs.agent("sync", "--once", "--json")
        #expect(sync.status == 78 && sync.errors.contains("tintype-agent enroll URL --token TOKEN"), "\(sync.errors)")
        #expect(try sync.json()["error"] as? String == "configuration", "programs get a document all the same")
        let again = try programs.agent("enroll")
        #expect(again.status == 64 && again.errors.contains("tintype-agent enroll URL --token TOKEN"))
        let doctor = try programs.agent("doctor")
        #expect(doctor.output.contains("tintype-agent enroll URL --token TOKEN"), "\(doctor.output)")
        #expect(!doctor.output.contains("--wait") && doctor.status == 0, "\(doctor.output)")
        #expect(try programs.agent("status", "--json").json()["library"] == nil)
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
    }
}
