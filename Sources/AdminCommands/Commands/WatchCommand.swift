import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "watch",
        "Shows devices, their queues and uploads as they change.",
        """
        On a terminal it refreshes a screen until Ctrl-C. Elsewhere, and with --json, it writes one JSON line per \
        round.
        """,
        examples: ["tintypectl watch", "tintypectl watch --interval 10s", "tintypectl watch --json --count 1"]
    )

    @Option(help: .value("time", "Time between two rounds."))
    var interval = TimeSpan(seconds: 2)

    @Option(help: "Ends after this many rounds; default: never.")
    var count: Int?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run() async throws {
        let session = common.session
        let client = try common.client()
        let isScreen = session.terminal.columnCount != nil && common.output.format == .people
        var before: WatchSnapshot?
        var round = 0
        while count.map({ round < $0 }) ?? true {
            if round > 0 { try await session.sleep(.seconds(interval.seconds)) }
            round += 1
            do {
                let snapshot = try await WatchSnapshot(client, now: session.now())
                if isScreen {
                    let screen = WatchScreen(snapshot: snapshot, before: before, terminal: session.terminal)
                    session.output(screen.text)
                } else {
                    session.output(try Renderer.line(snapshot) + "\n")
                }
                before = snapshot
            } catch let error as LibraryClientError where isScreen && before != nil && error.problem == nil {
                // A restarting server is exactly what people watch for.
                session.note("\(ProgressBar.rewriting)\(InertText(AdminError(error).message)) Retrying.")
            }
        }
    }
}

/// A snapshot as a terminal's screen.
struct WatchScreen {
    /// Cursor home, then erase everything below (ISO/IEC 6429: CUP, ED).
    private static let clearing = "\u{1B}[H\u{1B}[J"
    private static let maximumUploadCount = 10

    let snapshot: WatchSnapshot
    /// The previous snapshot, for rates.
    let before: WatchSnapshot?
    let terminal: TerminalTraits

    /// The whole screen.
    var text: String {
        let renderer = Renderer(format: .people, terminal: terminal)
        var parts = [Self.clearing + summary + "\n"]
        parts.append(renderer.table(devices))
        if !uploads.rows.isEmpty { parts.append(renderer.table(uploads)) }
        return parts.joined(separator: "\n")
    }

    private var summary: String {
        let library = snapshot.library
        let waiting = snapshot.jobs[JobState.waiting.rawValue] ?? 0
        let words = [
            "\(snapshot.time.description.prefix(19))Z", Wording.count(library.assets, "asset"),
            Wording.byteCount(library.contentBytes), Wording.count(library.uploads, "upload"),
            snapshot.areJobsPaused ? "jobs paused" : Wording.count(waiting, "job"),
            "change \(library.lastChange)",
        ]
        return InertText(words.joined(separator: "  ")).truncated(to: terminal.columnCount ?? .max)
    }

    private var devices: Table {
        Table(
            columns: [
                .init("DEVICE"), .init("NAME", isFlexible: true), .init("STATE"), .init("LAST SEEN", isOptional: true),
                .init("QUEUE", isNumeric: true), .init("HELD", isFlexible: true), .init("RATE", isNumeric: true),
            ],
            rows: snapshot.devices.map { device in
                let held = device.holds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                return [
                    Cell(Wording.short(device.fingerprint)), Cell(device.name),
                    Cell(device.state, device.state == "active" ? .good : .warning),
                    Cell(Wording.relative(device.lastSeen, now: snapshot.time)),
                    Cell(
                        device.queuedAssets > 0
                            ? "\(device.queuedAssets), \(Wording.byteCount(device.queuedBytes))" : "0"
                    ),
                    Cell(held.joined(separator: ", "), .warning), Cell(rate(of: device)),
                ]
            },
            ifEmpty: "No devices."
        )
    }

    private var uploads: Table {
        let all = snapshot.devices.flatMap { device in device.uploads.map { (device, $0) } }
        return Table(
            columns: [
                .init("UPLOAD", isFlexible: true), .init("FROM", isFlexible: true), .init("SENT", isNumeric: true),
                .init("OF", isNumeric: true), .init("", isNumeric: true),
            ],
            rows: all.prefix(Self.maximumUploadCount).map { device, upload in
                let part = Double(upload.doneBytes) / Double(max(upload.byteCount, 1))
                return [
                    Cell(upload.name.isEmpty ? "\(upload.asset)" : upload.name), Cell(device.name),
                    Cell(Wording.byteCount(upload.doneBytes)), Cell(Wording.byteCount(upload.byteCount)),
                    Cell("\(Int(100 * part.clamped(to: 0...1))) %"),
                ]
            },
            ifEmpty: ""
        )
    }

    /// Bytes per second since the last round; empty if nothing moved.
    private func rate(of device: WatchSnapshot.Device) -> String {
        guard let before, let earlier = before.devices.first(where: { $0.id == device.id }) else { return "" }
        let seconds = snapshot.time.duration(since: before.time) / .seconds(1)
        let moved = Double(device.doneBytes) - Double(earlier.doneBytes)
        guard seconds > 0, moved > 0 else { return "" }
        return Wording.byteCount(Int64(min(moved / seconds, 0x1p62))) + "/s"
    }
}
