import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Authorization
import BoxIdentity
import Capture
import CaptureLinux
import Logging
import Observability
import Persistence
import PhotoModel
import ServiceLifecycle
import Settings
import Terminal
import UnixSignals

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "run",
        "Runs as a service: captures according to the profiles, and sends the captures, until it is stopped.",
        """
        The profiles are those of the setting capture.profiles, or of --profile. While it runs, tintype-agent capture \
        and status ask it through the socket agent.sock in its folder; programs can do the same over HTTP:

          curl --unix-socket /var/lib/tintype-agent/agent.sock -X POST \\
            http://box/v1/captures -d '{"mode":"live"}'

        A box without a library captures anyway; its captures wait in the queue. One waiting for admission polls for \
        the decision, and sends once admitted. SIGTERM and SIGINT end it: recordings stop, and captures are made \
        durable first.

        With --once it does what is due, and ends: for boxes that sleep in between, by the sun or a real-time clock. \
        It takes the scheduled shots that are due, and waits for those within --lead, which covers the box's boot; \
        imports from watched folders; sends, until --deadline at most; and prints when to wake the box again. The \
        queue records which moments were captured, so none is captured twice. A moment missed by more than --late is \
        skipped. Buttons, motion and messages do not trigger.

        OUTPUT
          With --once --json one object:
            {"captures": as of capture, "skippedMoments", "problem",
            "failures": [{"profile", "moment", "reason"}],
            "folders": [{"profile", "taken", "passedOver", "failed"}],
            "sync": as of sync,
            "nextWake": {"profile", "moment", "time", "seconds"}}
          nextWake.time is --lead before the moment. There is no nextWake without a
          schedule, and no problem if all went well.
        """,
        examples: [
            "systemctl enable --now tintype-agent",
            "tintype-agent run --profile time-lapse",
            "tintype-agent run --once --deadline 5min",
            "tintype-agent run --once --json | jq .nextWake.seconds",
        ],
        exitStatuses: [
            0: "stopped; with --once all is done", 1: "failed; with --once a shot or file was not taken",
            3: "with --once: a part was sent", 4: "with --once: held", 69: "with --once: unreachable",
            73: "with --once: there is no room for a shot or file", 77: "with --once: not allowed",
            78: "a setting or a usage text is missing or wrong",
        ]
    )

    /// How long to wait for a command that has the queue open.
    private static let patience = Duration.seconds(10)

    @Option(help: "A profile instead of those of the settings: a name, or a file; may be repeated.")
    var profile: [String] = []

    @Flag(help: "Does what is due, sends, prints the next wake, and ends.")
    var once = false

    @Option(help: ArgumentHelp("With --once: when sending ends. Default: 5min.", valueName: "time"))
    var deadline: TimeSpan?

    @Option(help: ArgumentHelp("With --once: how long before a moment the box wakes. Default: 60s.", valueName: "time"))
    var lead: TimeSpan?

    @Option(help: ArgumentHelp("With --once: a moment missed by more is skipped. Default: 10min.", valueName: "time"))
    var late: TimeSpan?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if common.json, !once { throw ValidationError("--json goes with --once") }
        guard once || [deadline, lead, late].allSatisfy({ $0 == nil }) else {
            throw ValidationError("--deadline, --lead and --late go with --once")
        }
        for span in [deadline, lead].compactMap(\.self) where span.seconds > 86_400 {
            throw ValidationError("--deadline and --lead are at most 24h")
        }
        if let late, late.seconds > 31 * 86_400 { throw ValidationError("--late is at most 31d") }
    }

    func run() async throws {
        let agent = try await common.agent(patience: Self.patience)
        let profiles = try (profile.isEmpty ? agent.settings.capture.profiles : profile)
            .map { try agent.settings.profile(named: $0) }
        try profiles.forEach(requireUsage(agent.settings))
        let isAwaiting = try agent.identity.isAwaitingAdmission
        let library = try agent.identity.pinned()?.url
        let device = try agent.identity.device()?.id
        let isAsked = isAwaiting || library != nil && device != nil
        if isAsked {
            _ = try UsageText.required(agent.settings.addUsage, "library.add.usage")
        } else {
            guard !profiles.isEmpty else {
                throw AgentError(
                    .configuration,
                    "there is nothing to do: no capture.profiles, and no library (tintype-agent enroll)"
                )
            }
            agent.logger.notice("there is no library yet: captures wait in the queue (tintype-agent enroll)")
        }
        if once { return try await runOnce(agent, profiles, isSyncing: isAsked) }
        let sync = SyncService(agent: agent, isAwaitingAdmission: isAwaiting)
        let owed = try agent.store.summary(ofOpenOnly: true).owed.count
        agent.logger.info(
            "the agent is running",
            metadata: [
                "build": "\(Agent.build)", "profiles": "\(profiles.map(\.name).joined(separator: ", "))",
                "library": "\(library ?? "none")", "device.id": "\(device?.description ?? "none")",
                "waiting": "\(owed)",
            ]
        )
        try await agent.serve(profiles, isAsked ? sync : nil, prompter: agent.settings.prompter)
        try agent.store.settle()
    }

    /// Refuses to run without the texts that a profile needs, before any device is examined.
    private func requireUsage(_ settings: AgentSettings) -> (CaptureProfile) throws -> Void {
        { profile in
            let isSynthetic = profile.camera.map(ConsentFile.synthetic.contains) ?? false
            guard profile.watch == nil, !isSynthetic else { return }
            _ = try UsageText.required(settings.cameraUsage, "capture.camera.usage")
            guard profile.isLivePhoto, profile.sound != .off else { return }
            _ = try UsageText.required(settings.microphoneUsage, "capture.microphone.usage")
        }
    }
}
