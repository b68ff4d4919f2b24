import AgentCapture
import AgentService
import ArgumentParser
import PhotoLibrary
import Terminal

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "events",
        "Shows what happens to each shot, as it happens, until it is interrupted.",
        """
        Needs a running tintype-agent run. Programs can follow the same events over HTTP (GET /v1/events, server-sent \
        events), or with Camera of the Swift library PhotoLibrary.

        The events of a shot come in this order; those that do not apply are left out:
          willBegin              accepted; from here on a Live Photo may record
          willCapture            the frame is about to be chosen
          didCapture             the frame was chosen: captureTime, lagMilliseconds
          photo                  the still is durable: byteCount
          rawPhoto               its raw samples are durable: byteCount
          movieRecordingStopped  nothing more is recorded for the movie
          movie                  the movie is durable: byteCount
          finished               in the queue; or problem says why there is no shot
        """,
        examples: [
            "tintype-agent events",
            #"tintype-agent events --json | jq -r 'select(.kind == "finished") | .id'"#,
            "    a line of JSON an event",
        ],
        exitStatuses: [0: "the agent ended", 1: "no agent runs here, or the events came faster than they were read"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        for try await event in Camera(socketPath: try common.settings().socketPath).events() {
            Console.print(common.json ? try JSONText.text(event) : Self.line(event))
        }
    }

    private static func line(_ event: CaptureEvent) -> String {
        let facts = [
            event.lagMilliseconds.map { "lag \($0) ms" },
            event.byteCount.map { Console.size($0) },
            event.problem.map { Console.visible($0) },
        ]
        let kind = event.kind.rawValue.padding(21)
        let what = "\(event.profile ?? "no profile"), \(event.trigger)"
        return "\(event.id)  \(kind)  " + ([Console.visible(what)] + facts.compactMap(\.self)).joined(separator: ", ")
    }
}

extension String {
    /// The text padded with spaces to a width.
    fileprivate func padding(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
