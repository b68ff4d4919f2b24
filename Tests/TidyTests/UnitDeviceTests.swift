import Testing

/// Holds the agent's unit to the devices that a person may consent to.
struct UnitDeviceTests {
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
                "char-video4linux rw", "char-alsa rw", "char-gpio rw", "/dev/tpmrm0 rw",
            ]
        )
        #expect(values(of: "PrivateDevices").isEmpty, "it would take the cameras away")
    }
}
