import ArgumentParser
import LibraryAPI
import LibraryClient

struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Lets people into the web page.",
        discussion: """
            EXAMPLES
              tintypectl web login
              tintypectl web login --name ada --server https://photos.example:8443
            """,
        subcommands: [WebLogin.self]
    )
}

struct WebLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Makes a link that logs an operator in once.",
        discussion: """
            Whoever opens the link first is the operator, so it is a secret; it is good for ten minutes. --quiet prints
            the link alone.

            EXAMPLES
              tintypectl web login
              xdg-open $(tintypectl web login --quiet)
            """
    )

    @Option(help: ArgumentHelp("What the operator is called in the audit. Default: your own name.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("How browsers reach it. Default: https://<this machine>:8443.", valueName: "url"))
    var server: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let server, ServerOrigin(server) == nil {
            throw ValidationError("“\(server)” is no address of a server: write https://host:port.")
        }
    }

    func run() async throws {
        let request = WebLinkRequest(name: name)
        let answer: WebLinkAnswer = try await common.client().call(.adminCreateWebLogin, body: request)
        let address = server ?? "https://\(common.session.hostName):8443"
        let link = (address.hasSuffix("/") ? String(address.dropLast()) : address) + answer.uri
        let fields = [
            Report.Field("Link", Cell(link)),
            Report.Field("Expires", Cell(Wording.relative(answer.expires, now: common.session.now()))),
        ]
        try common.show(Report(wire: answer, identifiers: [link], content: .record(fields)))
    }
}
