import ArgumentParser
import Persistence

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes photos and movies from files or folders into the queue.",
        discussion: """
            Files are copied as they are. A photo and a movie of one name are a Live Photo. What was taken before is \
            known by its bytes, so the same folder may be imported again and again, and from several boxes.

            EXAMPLES
              tintype-agent import /media/card/DCIM
              tintype-agent import holiday.jpg holiday.mov
            """
    )

    @Argument(help: "Files or folders.")
    var paths: [String]

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent()
        let importer = Importer(store: agent.store, limits: agent.limits, album: agent.settings.album)
        let report = try await agent.pool.run { [paths] in
            var report = Importer.Report()
            for path in paths { try importer.run(Path(path), &report) }
            return report
        }
        if common.json {
            Console.print(try JSONText.text(report))
        } else {
            for failure in report.failed { Console.note("not taken: \(Console.visible(failure))") }
            Console.print("\(report.added) new, \(report.known) known, \(report.skipped) no media.")
        }
        if !report.failed.isEmpty { Console.end(.failed) }
    }
}
