import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import Terminal

/// The options of every device state change.
struct StateChangeOptions: ParsableArguments {
    @OptionGroup var device: DeviceArgument

    @Option(help: .reason)
    var reason: String?

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    /// Asks a question about the device, changes its state, and shows it; `keep` goes with resolve, and `cancel` with
    /// drain.
    func change(
        _ endpoint: Endpoint,
        asking question: String,
        keep: String? = nil,
        cancel: Bool? = nil,
        next: [String] = []
    ) async throws {
        let (client, found) = try await device.find(common)
        try common.session.confirm("\(question) \(found.shownName)?", yes: confirmation.yes)
        let request = StateChangeRequest(reason: reason, keep: keep, cancel: cancel)
        try common.show(device: try await client.call(endpoint, [found.id], body: request), next: next)
    }
}

struct DeviceRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "revoke",
        "Ends a device's rights at once.",
        """
        Its open connections close, its uploads and picker sessions end. Photos in the library stay, as do \
        their receipts. The box keeps what it has not sent; tintypectl device wipe erases that.
        """,
        examples: [#"tintypectl device revoke 3f9a2c --reason "sold""#]
    )

    @OptionGroup var options: StateChangeOptions

    func run() async throws {
        try await options.change(
            .adminRevoke,
            asking: "End the rights of",
            next: ["tintypectl enrollment-token create admits the box again"]
        )
    }
}

struct DeviceWipe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "wipe",
        "Ends a device's rights, and tells it to erase its queue and its key at its next contact.",
        """
        What the box has not sent is lost. Obeying is up to the box: a stolen card that is read elsewhere does \
        not. tintypectl device show tells when it confirmed.
        """,
        examples: [#"tintypectl device wipe 3f9a2c --yes --reason "stolen""#]
    )

    @OptionGroup var options: StateChangeOptions

    func run() async throws {
        try await options.change(
            .adminWipe,
            asking: "End the rights and erase the unsent photos of",
            next: ["tintypectl audit tail --device \(options.device.text) shows whether it confirmed"]
        )
    }
}

struct DeviceDrain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "drain",
        "Retires a device: it captures nothing new, sends everything it has, and then gives up its rights.",
        """
        At its next contact the box announces what it has captured; that list is final, and nothing else is \
        accepted from it. Once all of it has arrived, the device is revoked automatically. An offline box learns \
        of it when it reconnects, and keeps what it has until then. tintypectl device list shows what is left.
        """,
        examples: [
            #"tintypectl device drain 3f9a2c --reason "is replaced""#,
            "tintypectl device drain 3f9a2c --cancel",
        ]
    )

    @Flag(help: "Cancels the drain.")
    var cancel = false

    @OptionGroup var options: StateChangeOptions

    func run() async throws {
        let question = cancel ? "Go on taking new photos from" : "Take nothing new from"
        try await options.change(
            .adminDrain,
            asking: question,
            cancel: cancel ? true : nil,
            next: cancel ? [] : ["tintypectl device drain \(options.device.text) --cancel keeps it"]
        )
    }
}

struct DeviceResolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "resolve",
        "Chooses which of two copies of a device continues.",
        """
        A device is suspect when two copies of it were seen, as after its disk was cloned or restored. Copies of \
        one disk are one instance until one of them continues under a new name, so switch the wrong one off \
        first: without --keep, the first to connect continues. What a copy sent meanwhile is kept apart: \
        tintypectl device uploads.
        """,
        examples: [
            "tintypectl device resolve 3f9a2c",
            "tintypectl device resolve 3f9a2c --keep 0190c2d4e5f60718293a4b5c6d7e8f90",
            "tintypectl device uploads 3f9a2c",
        ]
    )

    @Option(help: .value("instance", "The instance that continues, 32 hexadecimal digits, as device show lists them."))
    var keep: String?

    @OptionGroup var options: StateChangeOptions

    func validate() throws {
        if let keep, keep.utf8.count != 32 || !keep.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            throw ValidationError("An instance has 32 hexadecimal digits.")
        }
    }

    func run() async throws {
        try await options.change(
            .adminResolve,
            asking: "Let one copy continue of",
            keep: keep,
            next: [
                "tintypectl device uploads \(options.device.text) shows what was kept apart"
            ]
        )
    }
}
