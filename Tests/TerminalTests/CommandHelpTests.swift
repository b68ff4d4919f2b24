import ArgumentParser
import Testing

@testable import Terminal

struct CommandHelpTests {
    @Test("a help has what there is to know, then examples, then exit statuses")
    func sections() {
        let configuration = CommandConfiguration(
            "capture",
            "Takes photos.",
            "Each shot is durable before it is reported.",
            examples: ["tintype-agent capture", "    one photo into the queue"],
            exitStatuses: [0: "taken", 64: "the command line is wrong", 130: "interrupted"]
        )
        #expect(configuration.commandName == "capture")
        #expect(configuration.abstract == "Takes photos.")
        #expect(
            configuration.discussion == """
                Each shot is durable before it is reported.

                EXAMPLES
                  tintype-agent capture
                      one photo into the queue

                EXIT STATUS
                  0    taken
                  64   the command line is wrong
                  130  interrupted
                """
        )
        #expect(CommandConfiguration("show", "Shows the rules.").discussion.isEmpty)
    }

    @Test("an example that is too long for 80 columns is continued before an option")
    func continuation() {
        let migrate = "tintype-server migrate --config /etc/tintype/server.yaml --to /etc/tintype/server-new.yaml"
        #expect(
            CommandConfiguration("migrate", "Moves a library.", examples: [migrate]).discussion == #"""
                EXAMPLES
                  tintype-server migrate --config /etc/tintype/server.yaml \
                    --to /etc/tintype/server-new.yaml
                """#
        )
    }

    @Test("an example is broken only where it has to be, and its lines fit then", arguments: 55...67)
    func columns(length: Int) {
        let example = "program \(String(repeating: "x", count: length)) --flag"
        let lines = CommandConfiguration("program", "Runs.", examples: [example]).discussion.split(separator: "\n")
        #expect(lines.count == (example.count > 77 ? 3 : 2))
        #expect(lines.allSatisfy { $0.count < 80 })
    }

    @Test("what a status means is wrapped beside it")
    func wrapping() {
        let meaning = "also when the library itself has lost bytes: the rest is backed up, the missing are named"
        #expect(
            CommandConfiguration("backup", "Writes a snapshot.", exitStatuses: [1: meaning]).discussion == """
                EXIT STATUS
                  1    also when the library itself has lost bytes: the rest is backed up, the
                       missing are named
                """
        )
    }
}
