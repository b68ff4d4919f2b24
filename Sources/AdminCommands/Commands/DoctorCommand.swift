import ArgumentParser
import DeviceIdentity
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "doctor",
        "Checks everything an administrator should, and tells what to do; exits with 1 if something is bad.",
        """
        It looks at the connection, clocks, certificate, disk, contents, the database and the store of originals, \
        the library's servers, backups, jobs, the audit's chain, devices and requests. Nothing is changed.
        """,
        examples: ["tintypectl doctor", "tintypectl doctor --json"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let findings = try await findings()
        let table = Table(
            columns: [.init(""), .init("CHECK"), .init("FOUND", isFlexible: true)],
            rows: findings.map { [$0.mark, Cell($0.check), Cell($0.words)] },
            ifEmpty: ""
        )
        let open = findings.filter { $0.outcome != .good }
        let worst = findings.first { $0.outcome == .bad }
        // A truncated command helps nobody: next steps are printed in full below the table, the most urgent last.
        let next = open.compactMap { finding in
            finding == worst ? nil : finding.next.map { "\(finding.check): \($0)" }
        }
        try common.show(Report(wire: findings, identifiers: open.map(\.check), content: .table(table), next: next))
        if let worst {
            throw AdminError("\(worst.check): \(worst.words).", next: worst.next ?? "tintypectl doctor")
        }
    }

    private func findings() async throws -> [Finding] {
        let session = common.session
        let client = try common.client()
        let began = session.now()
        let login: WebLoginResponse = try await client.call(.adminCurrentWebLogin)
        let checkup = Checkup(now: session.now())
        let counts: LibraryStatistics = try await client.call(.adminStatistics)
        let took = Int(session.now().duration(since: began) / .milliseconds(1))
        return [
            .good("connection", "\(login.name), answered in \(took) ms"),
            checkup.certificate(ending: try certificateEnd()),
            // Also returned to callers without a web login: the server's time.
            checkup.clock(server: login.expires),
            checkup.disk(counts),
            checkup.contents(counts),
        ] + checkup.rows(counts) + checkup.originals(counts) + checkup.servers(counts) + [
            checkup.backup(counts),
            checkup.jobs(try await client.call(.adminJobs, query: JobQuery(limit: 1).items)),
            checkup.audit(try await client.call(.adminVerifyAudit)),
            checkup.requests(try await client.call(.adminRequests)),
        ] + checkup.devices(try await client.devices())
    }

    /// When the context's certificate expires; nil over a socket.
    private func certificateEnd() throws -> WallTime? {
        guard case .remote(let remote) = try common.session.access(socket: common.socket, context: common.context)
        else {
            return nil
        }
        return try IdentityCertificate(pem: remote.identity.certificateChain.firstCertificate).notAfter
    }
}

extension Finding {
    /// The outcome at a glance, even without colours.
    var mark: Cell {
        switch outcome {
        case .good: Cell("✓", .good)
        case .warning: Cell("!", .warning)
        case .bad: Cell("✗", .bad)
        }
    }
}
