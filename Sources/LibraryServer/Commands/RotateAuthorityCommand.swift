import ArgumentParser
import DeviceIdentity
import Terminal

/// `tintype-server rotate-authority`.
struct RotateAuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "rotate-authority",
        "Issues a new signing certificate under the root that devices pin; restart the server afterwards.",
        """
        Needs root-key.pem in the authority's folder while it runs. Devices keep their certificates, and get ones from \
        the new signing certificate when they renew.

        The root itself is replaced in two steps: --announce-root creates the next one, which devices learn when they \
        renew, within 90 days; --replace-root then puts it into use. A device that did not renew in between must enrol \
        again. Tokens name the root: create new ones afterwards.
        """,
        examples: [
            "tintype-server rotate-authority --config /etc/tintype/server.yaml --announce-root",
            "tintype-server rotate-authority --config /etc/tintype/server.yaml --replace-root",
        ]
    )

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Ends the trust in earlier signing certificates instead; devices that still use them must enrol again.")
    var forgetEarlier = false

    @Flag(help: "Creates the next root and announces it to devices.")
    var announceRoot = false

    @Flag(help: "Replaces the current root with the announced one.")
    var replaceRoot = false

    func validate() throws {
        guard [forgetEarlier, announceRoot, replaceRoot].count(where: \.self) <= 1 else {
            throw ValidationError("One step at a time: --announce-root, --replace-root or --forget-earlier.")
        }
    }

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let folder = AuthorityFolder(path: settings.authorityPath)
            if forgetEarlier {
                try folder.forgetRetired()
                print("Earlier signing certificates are no longer trusted. Next: restart tintype-server.")
            } else if announceRoot {
                print(
                    """
                    The next root (SHA-256):
                      \(try folder.announceRoot().comingRoot?.fingerprint.description ?? "")
                    Devices learn it when they renew. Take coming-root-key.pem offline until then.
                    Next: restart tintype-server; after 90 days, run:
                      \(options.commandLine("rotate-authority", "--replace-root"))
                    """
                )
            } else {
                let hosts = ServerEnvironment.hosts(settings)
                let contents =
                    try replaceRoot ? folder.rotateRoot(hosts: hosts) : folder.rotateIntermediate(hosts: hosts)
                print(
                    """
                    Root that devices pin (SHA-256):
                      \(contents.authority.root.fingerprint)
                    New signing certificate (SHA-256):
                      \(contents.authority.intermediate.fingerprint)
                    \(contents.retired.count) earlier ones stay trusted. Take root-key.pem offline again.
                    Next: restart tintype-server.
                    """
                )
            }
        }
    }
}
