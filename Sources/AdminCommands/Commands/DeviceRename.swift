import ArgumentParser
import LibraryAPI
import LibraryClient
import Terminal

struct DeviceRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "rename",
        "Changes a device's name, its tags, and the album of its assets.",
        "A name never affects rights; tags do: a ceiling applies to the devices with its tag.",
        examples: [
            #"tintypectl device rename 3f9a2c "North gate""#,
            "tintypectl device rename 3f9a2c --tag outdoors --tag gate",
            #"tintypectl device rename 3f9a2c --album Gate --reason "moved""#,
        ]
    )

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The new name.")
    var name: String?

    @Option(help: .value("tag", "A tag; replaces the current tags, or --no-tags for none."))
    var tag: [String] = []

    @Flag(help: "Removes all tags.")
    var noTags = false

    @Option(help: .value("title", "The album that its new assets join; an empty text for none."), completion: .albums)
    var album: String?

    @Option(help: .reason)
    var reason: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard name != nil || !tag.isEmpty || noTags || album != nil else {
            throw ValidationError("Say what changes: a name, --tag, --no-tags or --album.")
        }
        if noTags, !tag.isEmpty { throw ValidationError("--tag and --no-tags exclude each other.") }
    }

    func run() async throws {
        let (client, found) = try await device.find(common)
        let edit = DeviceEdit(name: name, tags: tag.isEmpty && !noTags ? nil : tag, album: album, reason: reason)
        try common.show(device: try await client.call(.adminEditDevice, [found.id], body: edit))
    }
}
