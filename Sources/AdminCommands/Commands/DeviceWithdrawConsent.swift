import ArgumentParser
import LibraryAPI
import LibraryClient
import Terminal

struct DeviceWithdrawConsent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "withdraw-consent",
        "Withdraws a consent given at a box: its cameras or microphones stop at its next contact.",
        """
        tintypectl device show lists a box's cameras and microphones and what was decided there. Only a person at \
        the box can allow them again: tintype-agent consent set.
        """,
        examples: [
            #"tintypectl device withdraw-consent 3f9a2c microphone --reason "no sound""#,
            "tintypectl device withdraw-consent 3f9a2c camera --name usb-1",
        ]
    )

    enum Capability: String, ExpressibleByArgument, CaseIterable {
        case camera, microphone, all
    }

    @OptionGroup var device: DeviceArgument

    @Argument(help: "camera, microphone, or all.")
    var capability: Capability

    @Option(help: .value("device", "Only this one, by the box's name for it."))
    var name: String?

    @Option(help: .reason)
    var reason: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        let request = ConsentWithdrawalRequest(
            capability: capability == .all ? nil : capability.rawValue,
            device: name,
            reason: reason
        )
        try common.show(
            device: try await client.call(.adminWithdrawConsent, [found.id], body: request),
            next: ["tintypectl device show \(device.text) shows when the box has followed"]
        )
    }
}
