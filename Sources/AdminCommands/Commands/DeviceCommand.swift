import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "device",
        "Shows devices, and decides what each may do.",
        """
        A device is named by its identifier or by the first characters of its key's fingerprint. Its own name is \
        shown, but does not identify it: anybody can take any name.
        """,
        examples: [
            "tintypectl device list",
            "tintypectl device approve 3f9a2c --as add-only --expect-code WDJB-MJHT",
            #"tintypectl device revoke 3f9a2c --reason "sold""#,
            "tintypectl device lint",
        ],
        subcommands: [
            DeviceList.self, DeviceShow.self, DeviceApprove.self, DeviceDecide.self, DeviceLimit.self,
            DeviceReset.self, DeviceRename.self, DeviceWithdrawConsent.self, DeviceRevoke.self, DeviceWipe.self,
            DeviceDrain.self, DeviceResolve.self,
            DeviceUploads.self, DeviceCommit.self, DeviceLint.self,
        ]
    )
}

struct DeviceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists devices.",
        examples: [
            "tintypectl device list",
            "tintypectl device list --state pending",
            "tintypectl device list --quiet",
        ]
    )

    @Option(help: "Only devices in this state: pending, active, draining, suspect or revoked.")
    var state: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        let states = ["pending", "active", "draining", "suspect", "revoked"]
        if let state, !states.contains(state) {
            throw ValidationError("“\(state)” is not one of \(states.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let all = try await common.client().devices()
        let devices = all.filter { device in state.map { device.state.rawValue == $0 } ?? true }
        let now = common.session.now()
        let table = Table(
            columns: [
                .init("FINGERPRINT"), .init("NAME", isFlexible: true), .init("STATE"), .init("MAY"),
                .init("LAST SEEN"), .init("NOTE", isFlexible: true),
            ],
            rows: devices.map { device in
                [
                    Cell(Wording.short(device.keyFingerprint)), Cell(device.name), device.stateCell, device.accessCell,
                    Cell(Wording.relative(device.lastSeen, now: now)), Cell(device.remarks.joined(separator: "; ")),
                ]
            },
            ifEmpty: state.map { "No \($0) devices." } ?? "No devices."
        )
        var report = Report(
            wire: DevicePage(devices: devices),
            identifiers: devices.map(\.id.description),
            content: .table(table)
        )
        if let waiting = devices.first(where: { $0.state == .pending }) {
            report.next = ["tintypectl device approve \(Wording.short(waiting.keyFingerprint)) --as add-only"]
        } else if all.isEmpty {
            report.next = ["tintypectl enrollment-token create"]
        }
        try common.show(report)
    }
}

struct DeviceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "show",
        "Shows one device with its rights, its queue, and the reasons.",
        """
        It also shows why captures are held on the box: each reason, and what resolves it. Live picker sessions \
        are rights too, and are listed.
        """,
        examples: ["tintypectl device show 3f9a2c", "tintypectl device show 3f9a2c --json"]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, named) = try await device.find(common)
        // The list omits details that are expensive to determine.
        let found: DeviceSummary = try await client.call(.adminDevice, [named.id])
        let pickers: PickDocumentPage = try await client.call(.adminPickers)
        let live = pickers.sessions.filter { $0.deviceID == found.id && [.open, .done].contains($0.state) }
        var expansion: ExpansionSummary?
        if found.authorization.readWrite == .limited {
            let open: AccessRequestPage = try await client.call(.adminRequests)
            expansion = open.expansions.first { $0.deviceID == found.id }
        }
        try common.show(.device(found, pickers: live, expansion: expansion, now: common.session.now()))
    }
}

struct DeviceArgument: ParsableArguments {
    @Argument(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var reference: DeviceReference

    /// The form people write.
    var text: String { reference.text }

    /// The library, and the device there.
    ///
    /// - Throws: errors of the session and the library; `failed` if no device matches, or several do.
    func find(_ common: CommonOptions) async throws -> (client: LibraryClient, device: DeviceSummary) {
        let client = try common.client()
        return (client, try await client.device(reference))
    }
}

extension CommonOptions {
    /// Shows a device as a call left it.
    func show(device: DeviceSummary, next: [String] = []) throws {
        try show(.device(device, now: session.now(), next: next))
    }
}

extension ArgumentHelp {
    /// The help of every option that takes a reason.
    static let reason = value("text", "Why, for the audit.")
    /// The help of every argument that names a device.
    static let device = value(
        "device",
        "The device: its identifier, or the first 4 or more characters of its fingerprint."
    )

    /// The help of an option or argument whose value has a name.
    static func value(_ name: String, _ abstract: String) -> ArgumentHelp {
        ArgumentHelp(abstract, valueName: name)
    }
}
