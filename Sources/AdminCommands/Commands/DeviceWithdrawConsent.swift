import ArgumentParser
import LibraryAPI
import LibraryClient

struct DeviceWithdrawConsent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw-consent",
        abstract: "Withdraws a consent given at a box: its cameras or microphones stop at its next contact.",
        discussion: """
            tintypectl device show lists a box's cameras and microphones and what was decided there. Only a person at \
            the box can allow them again: tintype-agent consent set.

            EXAMPLES
              tintypectl device withdraw-consent 3f9a2c microphone --reason "no sound"
              tintypectl device withdraw-consent 3f9a2c camera --name usb-1
            """
    )

    enum Capability: String, ExpressibleByArgument, CaseIterable {
        case camera, microphone, all
    }

    @Argument(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference

    @Argument(help: "camera, microphone, or all.")
    var capability: Capability

    @Option(help: ArgumentHelp("Only this one, by the box's name for it.", valueName: "device"))
    var name: String?

    @Option(help: ArgumentHelp("Why, for the audit.", valueName: "text"))
    var reason: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let found = try await client.device(device)
        let request = ConsentWithdrawalRequest(
            capability: capability == .all ? nil : capability.rawValue,
            device: name,
            reason: reason
        )
        let changed: DeviceSummary = try await client.call(.adminWithdrawConsent, [found.id], body: request)
        try common.show(
            .device(
                changed,
                now: common.session.now(),
                next: ["tintypectl device show \(device.text) shows when the box has followed"]
            )
        )
    }
}
