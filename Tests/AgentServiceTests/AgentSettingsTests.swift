import AgentCapture
import AgentService
import Authorization
import Foundation
import Settings
import SyncEngine
import Testing

struct AgentSettingsTests {
    private func settings(_ yaml: String = "", _ flags: [String] = []) throws -> AgentSettings {
        try AgentSettings(from: SettingsReader(yaml: yaml, environment: [:], flags: flags), hostName: "box")
    }

    @Test("The sample in config/ holds every key with its default")
    func sample() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config/agent.yaml")
        let yaml = try String(contentsOf: file, encoding: .utf8)
        #expect(try "\(settings(yaml))" == "\(settings())")
        let uncommented = yaml.replacing("  # add:\n  #   usage", with: "  add:\n    usage")
        #expect(try settings(uncommented).addUsage?.contains("gate") == true)
    }

    @Test("000.10, 001.24: without its usage text an action ends with 78 and names the key")
    func usage() throws {
        let error = #expect(throws: AgentError.self) {
            try UsageText.required(settings().addUsage, "library.add.usage")
        }
        #expect(error?.exit == .configuration && error?.description.contains("library.add.usage") == true)
    }

    @Test(
        "001.8: a usage text that explains nothing is refused",
        arguments: ["Say here why this device needs this access.", "   ", String(repeating: "x", count: 281)]
    )
    func emptyUsage(text: String) {
        #expect(throws: SettingsError.self) { try settings("", ["library.add.usage=\(text)"]) }
    }

    @Test(
        "An unknown key is an error that names the nearest",
        arguments: [("agnt.path=/x", "agent.path"), ("queue.retentiondays=1", "queue.retentionDays")]
    )
    func unknown(flag: String, nearest: String) {
        let error = #expect(throws: SettingsError.self) { try settings("", [flag]) }
        #expect(error?.description.hasSuffix(nearest) == true)
    }

    @Test("Settings become the sync's policy")
    func policy() throws {
        let policy = try settings("", ["sync.allowedHours=22:00-06:00", "sync.appendBytes=65536"]).syncPolicy
        #expect(policy.allowedMinutes?.first == 22 * 60 && policy.appendByteCount == 65_536)
    }
}
