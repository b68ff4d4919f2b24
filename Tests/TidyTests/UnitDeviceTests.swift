import Foundation
import Testing

/// Holds the agent's unit to the devices that a person may consent to, and the drop-ins to what they are for.
struct UnitDeviceTests {
    private struct DropIn {
        /// The program whose unit it belongs to.
        let program: String
        /// What it sets, by section.
        let keys: Set<String>
        /// What it lets in beside the unit's devices.
        let devices: [String]
    }

    private static let dropIns = [
        "cluster.conf": DropIn(
            program: "server",
            keys: ["Unit.StartLimitIntervalSec", "Service.LoadCredential"],
            devices: []
        ),
        "graphics.conf": DropIn(
            program: "agent",
            keys: ["Service.SupplementaryGroups", "Service.DeviceAllow"],
            devices: ["char-drm rw"]
        ),
        "libcamera.conf": DropIn(
            program: "agent",
            keys: ["Service.DeviceAllow"],
            devices: ["char-media rw", "char-dma_heap rw"]
        ),
        "once.conf": DropIn(
            program: "agent",
            keys: [
                "Service.Type", "Service.ExecStart", "Service.StandardOutput", "Service.ExecStopPost",
                "Service.DeviceAllow", "Service.Restart", "Service.WatchdogSec", "Service.TimeoutStartSec",
            ],
            devices: ["char-rtc rw"]
        ),
    ]

    @Test("001.11, 001.12: the agent's unit opens cameras, microphones, inputs and the TPM, and no other device")
    func allowList() throws {
        let lines = try SourceTree.text("deploy/systemd/tintype-agent.service").split(separator: "\n")
        func values(of key: String) -> [Substring] {
            lines.filter { $0.hasPrefix("\(key)=") }.map { $0.dropFirst(key.count + 1) }
        }
        // Any other policy lets devices in that the list does not name.
        #expect(values(of: "DevicePolicy") == ["closed"])
        #expect(
            values(of: "DeviceAllow") == [
                "char-video4linux rw", "char-alsa rw", "char-gpiochip rw", "/dev/tpmrm0 rw",
            ]
        )
        #expect(values(of: "PrivateDevices").isEmpty, "it would take the cameras away")
    }

    @Test(
        "the agent's user may open the nodes that its unit and libcamera.conf let in; the page for a box names its groups",
        arguments: [
            "video4linux": "video", "sound": "audio", "gpio": "gpio", "media": "video", "dma_heap": "video",
        ]
    )
    func groups(subsystem: String, group: String) throws {
        let rules = try SourceTree.text("deploy/systemd/70-tintype-camera.rules").split(separator: "\n")
        let rule = rules.first { $0.hasPrefix("SUBSYSTEM==\"\(subsystem)\"") }
        #expect(rule?.contains("GROUP=\"\(group)\", MODE=\"0660\"") == true, "\(subsystem) is left to root")
        let installed = try SourceTree.text("deploy/debian/debian/tintype-agent.postinst")
        #expect(
            installed.split(whereSeparator: \.isWhitespace).contains("--subsystem-match=\(subsystem)"),
            "\(subsystem) has its group only after a reboot"
        )
        let users = try SourceTree.text("deploy/systemd/tintype-agent.sysusers.conf").split(separator: "\n")
        #expect(users.contains("m tintype-agent \(group)"))
        let page = try SourceTree.text("docs/install.md")
        #expect(
            page.firstMatch(of: /creates the unprivileged user `tintype-agent` in the groups ([^.]*)/)?.1
                .contains("`\(group)`") == true
        )
    }

    // That systemd knows each key is judged by itself, in deploy/check.
    @Test("001.11, 001.12: each drop-in adds the devices that it is for, and loosens nothing else")
    func addedDevices() throws {
        let folder = SourceTree.root.appending(path: "deploy/systemd").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            name.hasSuffix(".conf") && !name.contains("sysusers") && !name.contains("tmpfiles")
        }
        #expect(names.sorted() == Self.dropIns.keys.sorted())
        for (name, dropIn) in Self.dropIns {
            let text = try SourceTree.text("deploy/systemd/\(name)")
            let place = "/etc/systemd/system/tintype-\(dropIn.program).service.d/\(name)\n"
            #expect(text.contains("install -D -m 644 \(name) \(place)"), "\(name)")
            var section = ""
            var keys: Set<String> = []
            var devices: [String] = []
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                if line.hasPrefix("[") {
                    section = String(line.dropFirst().dropLast())
                    continue
                }
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                try #require(parts.count == 2, "\(name): \(line)")
                keys.insert("\(section).\(parts[0])")
                if parts[0] == "DeviceAllow" { devices.append(String(parts[1])) }
            }
            #expect(keys == dropIn.keys, "\(name)")
            #expect(devices == dropIn.devices, "\(name)")
        }
    }
}
