import ArgumentParser
import LibraryAPI
import PhotoModel
import Terminal

struct LibraryVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "verify",
        "Compares rows, files and, with --hash, digests; exits with 1 if something is wrong.",
        """
        Nothing is changed. With --nightly N it hashes one of N equal parts, a different one each day, so N nights \
        read everything once; the timer tintype-verify does this.
        """,
        examples: [
            "tintypectl library verify",
            "tintypectl library verify --hash --json",
            "tintypectl library verify --hash --skip-hashed 7d",
            "tintypectl library verify --nightly 14 --rate 20",
        ]
    )

    @OptionGroup var choice: VerificationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.verify(choice.verification(isRepairing: false, now: common.session.now()))
    }
}

struct LibraryRepair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "repair",
        "Verifies, and moves damaged and unreferenced files into quarantine.",
        """
        Nothing is deleted. Missing bytes are restored from quarantine if intact there; the devices that saved the \
        rest are asked to send it again if they still have it.
        """,
        examples: ["tintypectl library repair", "tintypectl library repair --hash --yes"]
    )

    @OptionGroup var choice: VerificationOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try common.session.confirm("Move damaged and unreferenced files into quarantine?", yes: confirmation.yes)
        try await common.verify(choice.verification(isRepairing: true, now: common.session.now()))
    }
}

struct VerificationOptions: ParsableArguments {
    @Flag(help: "Reads and hashes every file, which takes as long as reading the disk.")
    var hash = false

    @Option(help: .value("parts", "Hashes one of this many parts, a new one each day: 1 to 365."))
    var nightly: Int?

    @Option(help: .value("MB", "The highest read rate, in MB per second."))
    var rate: Int?

    @Option(help: .value("time", "Skips what was hashed within this time, to resume an interrupted run."))
    var skipHashed: TimeSpan?

    func validate() throws {
        if skipHashed != nil, !hash, nightly == nil {
            throw ValidationError("--skip-hashed needs --hash or --nightly.")
        }
        if let nightly, !(1...365).contains(nightly) { throw ValidationError("--nightly takes 1 to 365 parts.") }
        if let rate, !(1...100_000).contains(rate) { throw ValidationError("--rate takes 1 to 100000 MB a second.") }
    }

    /// Tonight's part is the day's number modulo the parts: that needs no state, and a missed night is caught up later.
    func verification(isRepairing: Bool, now: WallTime) -> MaintenanceTask.Verification {
        let day = Int(now.microsecondsSince1970 / 86_400_000_000)
        var verification = MaintenanceTask.Verification(
            isHashing: hash || nightly != nil,
            isRepairing: isRepairing,
            part: nightly.flatMap { .init(index: day % $0, count: $0) },
            bytesPerSecond: rate.map { Int64($0) * 1_000_000 }
        )
        verification.hashedSince = skipHashed.map { now.advanced(by: .seconds(-$0.seconds)) }
        return verification
    }
}

extension CommonOptions {
    /// Verifies, shows the findings, and fails if there are any.
    func verify(_ choice: MaintenanceTask.Verification) async throws {
        guard case .verified(let answer) = try await follow(.verify(choice: choice)).state else { return }
        let checked = "\(Wording.count(answer.checkedContents, "content")), \(Wording.byteCount(answer.checkedBytes))"
        let table = Table(
            columns: [.init("FINDING"), .init("OBJECT", isFlexible: true), .init("QUARANTINED")],
            rows: answer.findings.map { finding in
                [
                    Cell(finding.kind.rawValue, finding.kind.isMended ? .good : .bad), Cell(finding.object),
                    Cell(finding.isQuarantined ? "yes" : "no"),
                ]
            },
            ifEmpty: "All is well: \(checked)\(answer.hasHashed ? ", every digest computed" : "")."
        )
        try show(Report(wire: answer, identifiers: answer.findings.map(\.object), content: .table(table)))
        let open = answer.findings.filter { !$0.isQuarantined && !$0.kind.isMended }
        guard open.isEmpty else {
            throw AdminError(
                "\(Wording.count(open.count, "thing is", plural: "things are")) not as it should be.",
                next: choice.isRepairing
                    ? "wait for the devices' next contact, or restore what is missing from a backup"
                    : "tintypectl library repair quarantines damage and asks the devices for what is missing"
            )
        }
    }
}

extension VerificationReport.Finding.Kind {
    /// Whether nothing is left to do.
    fileprivate var isMended: Bool { [.restoredBytes, .forgottenRow, .correctedLength].contains(self) }
}
