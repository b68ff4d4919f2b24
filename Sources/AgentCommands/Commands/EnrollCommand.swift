import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Authorization
import BoxIdentity
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Terminal

struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "enroll",
        "Enrols this box as a device of a library.",
        """
        The library's authority is pinned first: by the token, which names it, or by --ca-fingerprint. Any other \
        server never gets anything from this box. Without a token an administrator decides; both sides show the same \
        code to compare.
        """,
        examples: [
            "tintype-agent enroll https://photos.example:8443 --token TT1.…",
            "tintype-agent enroll https://photos.example:8443 --wait --ca-fingerprint 3f9a…",
            "tintype-agent enroll --wait",
        ]
    )

    @Argument(help: "The library's address, https://host:port; omit it to check a pending enrolment.")
    var url: String?

    @Option(help: "The token that tintypectl enrollment-token create printed; - to read it from standard input.")
    var token: String?

    @Option(help: "A file with the token, since every user of the machine can see arguments in the process list.")
    var tokenFile: String?

    @Option(help: "The fingerprint of the library's authority, as tintype-server init printed it.")
    var caFingerprint: String?

    @Flag(help: "Waits until an administrator has decided.")
    var wait = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if url == nil, token != nil || tokenFile != nil || caFingerprint != nil {
            throw ValidationError("Name the library's address: https://host:port.")
        }
        if token != nil, tokenFile != nil {
            throw ValidationError("Use --token or --token-file, not both.")
        }
    }

    func run() async throws {
        let agent = try openAgent()
        _ = try UsageText.required(agent.settings.addUsage, "library.add.usage")
        let enrollment = Enrollment(folder: agent.identity)
        var answer = try await begin(enrollment, agent)
        if answer.state == .pending, let code = answer.verificationCode, !common.json {
            Console.note("The administrator should see this code: \(Console.visible(code))")
        }
        while wait, answer.state == .pending {
            try await Task.sleep(for: .seconds(min(max(answer.intervalSeconds ?? 10, 1), 300)))
            answer = try await enrollment.poll(answer.id, proxy: agent.settings.proxy)
        }
        if let device = answer.deviceID, answer.state == .active {
            try agent.become(device)
            try agent.sealSecrets()
            let former = try agent.store.entries(states: ["held"], limit: .max).count { $0.deviceID != device }
            if former > 0, !common.json {
                Console.note(
                    "\(former) captures of this box's former identity wait: tintype-agent queue retry --all --adopt sends them"
                )
            }
        }
        try show(answer)
    }

    /// Opens the queue, or explains what a running service does by itself, and when to stop it.
    private func openAgent() throws -> Agent {
        do {
            return try common.agent()
        } catch let error as AgentError where error.isLocked {
            let identity = IdentityFolder(in: Path(try common.settings().path))
            guard url == nil, try identity.isAwaitingAdmission else {
                throw AgentError(
                    .failed,
                    "the running service picks up a library when it starts: systemctl stop tintype-agent, then "
                        + "this command again, then systemctl start tintype-agent",
                    isLocked: true
                )
            }
            throw AgentError(
                .held,
                "an administrator has to decide (tintypectl request list); the running service polls for the "
                    + "decision: tintype-agent status"
            )
        }
    }

    /// The token from an argument, standard input, or a file.
    private func givenToken() throws -> String? {
        var text: String?
        if let tokenFile {
            guard let bytes = try ArgumentFile.read(tokenFile, maximumByteCount: 4096) else {
                throw AgentError(.usage, "there is no file \(Console.visible(tokenFile))")
            }
            text = String(decoding: bytes, as: UTF8.self)
        } else if token == "-" {
            text = readLine()
        } else {
            return token
        }
        guard let given = text?.split(whereSeparator: \.isWhitespace).first else {
            throw AgentError(.usage, "there is no token on standard input or in the file")
        }
        return String(given)
    }

    /// Requests enrolment, or shows the status of an earlier request.
    private func begin(_ enrollment: Enrollment, _ agent: Agent) async throws -> EnrollmentResponse {
        guard let url else {
            guard let asked = try agent.identity.pendingEnrollment(), try agent.identity.pinned() != nil else {
                throw AgentError(.usage, "no enrolment is pending: tintype-agent enroll URL --token TOKEN")
            }
            return try await enrollment.poll(asked, proxy: agent.settings.proxy)
        }
        let invitation = try Enrollment.Invitation(url: url, token: givenToken(), fingerprint: caFingerprint)
        let claim = Enrollment.Claim(
            name: agent.settings.name,
            build: Agent.build,
            usage: agent.usage,
            proxy: agent.settings.proxy
        )
        return try await enrollment.begin(invitation, claim)
    }

    private func show(_ answer: EnrollmentResponse) throws {
        if common.json {
            var shown = answer
            shown.certificateChain = nil
            Console.print(try JSONText.text(shown))
        } else if answer.state == .active {
            Console.print("This box is device \(answer.deviceID?.description ?? "?"). Next: tintype-agent sync --once")
        }
        switch answer.state {
        case .active: return
        case .pending:
            throw AgentError(
                .held,
                "an administrator has to decide (tintypectl request list); then: tintype-agent enroll. "
                    + "Captures are kept meanwhile"
            )
        case .refused: throw AgentError(.notAllowed, "the library refused this box: ask its administrator")
        case .expired: throw AgentError(.held, "nobody decided in time: run tintype-agent enroll URL again")
        }
    }
}

struct AuthorizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "authorize",
        "Requests access to the library: to add (default), or to read and change.",
        examples: ["tintype-agent authorize", "tintype-agent authorize --read-write"],
        exitStatuses: [0: "granted", 4: "an administrator has to decide", 69: "unreachable", 77: "not allowed"]
    )

    @Flag(help: "Requests to read and change the library, not only to add to it.")
    var readWrite = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let text =
            readWrite
            ? try UsageText.required(agent.settings.readWriteUsage, "library.readWrite.usage")
            : try UsageText.required(agent.settings.addUsage, "library.add.usage")
        _ = try agent.identity.admission()
        let level: AccessLevel = readWrite ? .readWrite : .addOnly
        let answer = try await answer(agent, AuthorizationRequest(level: level.rawValue, usage: text))
        if common.json {
            Console.print(try JSONText.text(answer))
        } else {
            let next = agent.identity.naming(answer.next)
            Console.print("\(level.rawValue): \(status(in: answer).name). \(Console.visible(next))")
        }
        // A service that cannot be woken learns of it at its next contact.
        try? await agent.wakeService()
        let decided = status(in: answer)
        guard !decided.grantsAccess else { return }
        let isAsked = decided == .notDetermined || answer.pending.contains { $0.level == level.rawValue }
        withExtendedLifetime(agent) { Console.end(isAsked ? .held : .notAllowed) }
    }

    /// The library's answer, which is kept; without a connection the last one, if the level was decided by then.
    private func answer(_ agent: Agent, _ request: AuthorizationRequest) async throws -> AuthorizationResponse {
        do {
            let answer = try await agent.client().requestAuthorization(request)
            try agent.store.setFact(.authorization, to: answer)
            return answer
        } catch let error as LibraryClientError {
            guard case .transport = error.code, try agent.store.fact(.identityHold) == nil,
                let known = try agent.store.fact(.authorization), status(in: known) != .notDetermined
            else { throw error }
            return known
        }
    }

    private func status(in answer: AuthorizationResponse) -> AuthorizationStatus {
        AuthorizationStatus(untrusted: (readWrite ? answer.readWrite : answer.addOnly).rawValue)
    }
}
