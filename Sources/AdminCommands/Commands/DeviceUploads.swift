import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct DeviceUploads: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "uploads",
        "Shows a device's uploads that are not committed.",
        """
        A suspect device's uploads are kept apart until an operator commits them on its behalf, or resolves the \
        device.
        """,
        examples: ["tintypectl device uploads 3f9a2c"]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        let page: PendingUploadPage = try await client.call(.adminUploads, [found.id])
        var report = Report.uploads(page, now: common.session.now())
        if let whole = page.assets.first(where: \.isWhole) {
            report.next = ["tintypectl device commit \(device.text) \(whole.manifest.id)"]
        }
        try common.show(report)
    }
}

struct DeviceCommit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "commit",
        "Commits completely uploaded assets on a device's behalf.",
        "For what a suspect or lost device left behind; the audit records who did it.",
        examples: ["tintypectl device commit 3f9a2c 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60"]
    )

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The asset, from tintypectl device uploads.", transform: identifier)
    var asset: AssetID

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        try common.session.confirm("Take \(asset) into the library?", yes: confirmation.yes)
        let answer: CommitResponse = try await client.call(.adminCommitUpload, [found.id, asset])
        try common.show(.receipt(answer.receipt, now: common.session.now()))
    }
}

extension PendingUploadPage.Entry {
    /// Whether every byte has arrived.
    fileprivate var isWhole: Bool { uploads.allSatisfy(\.isComplete) }
}

extension Report {
    /// A device's uncommitted uploads.
    static func uploads(_ page: PendingUploadPage, now: WallTime) -> Report {
        let table = Table(
            columns: [
                .init("ASSET"), .init("KIND", isOptional: true),
                .init("CAPTURED", isOptional: true), .init("SENT"), .init("GIVEN UP", isOptional: true),
                .init("NAME", isFlexible: true),
            ],
            rows: page.assets.map { entry in
                let asset = entry.manifest.asset
                let sent = entry.uploads.reduce(Int64(0)) { $0 &+ $1.offset }
                let length = entry.uploads.reduce(Int64(0)) { $0 &+ $1.length }
                return [
                    Cell("\(asset.id)"), Cell(asset.kindName), Cell(asset.captureAge(now: now)),
                    Cell(
                        entry.isWhole
                            ? "whole, \(Wording.byteCount(length))"
                            : "\(Wording.byteCount(sent)) of \(Wording.byteCount(length))",
                        entry.isWhole ? .good : .plain
                    ),
                    Cell(Wording.relative(entry.uploads.map(\.expires).min(), now: now)), Cell(asset.displayName),
                ]
            },
            ifEmpty: "Nothing is on its way."
        )
        return Report(wire: page, identifiers: page.assets.map { "\($0.manifest.id)" }, content: .table(table))
    }
}
