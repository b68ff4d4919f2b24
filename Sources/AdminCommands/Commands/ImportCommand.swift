import ArgumentParser
import Immich
import LibraryAPI
import LibraryClient
import MediaFiles
import Persistence
import PhotoModel
import Terminal

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "import",
        "Imports photos and movies into the library: from files, folders, exports and an Immich server.",
        """
        A matching still and movie become one Live Photo, a photo and its raw file of the same name one photo; XMP \
        sidecars add titles, captions, keywords and stars. Immich's folders of originals can be imported as they \
        are, and so can what tintypectl export wrote. Known files are recognised by their bytes: importing again \
        is safe, and an interrupted run resumes. Whatever a library has no field for is reported. Files stay where \
        they are.

        \(ImportHelp.sources) Albums are imported, too.
        """,
        examples: [
            "tintypectl import /media/card/DCIM",
            #"tintypectl import /srv/immich/library --album "From Immich""#,
            "tintypectl import ~/Downloads/takeout-*.zip --dry-run",
            "tintypectl import ./osxphotos --albums-from-folders",
            "tintypectl import https://immich.example --key-file ./immich.key",
            "tintypectl import ./photos --dry-run --json",
        ]
    )

    @Argument(help: "Files, folders, ZIP archives, or the address of an Immich server.", completion: .file())
    var paths: [String]

    @Option(help: .value("title", "The album to join, created if missing."), completion: .albums)
    var album: String?

    @Flag(inversion: .prefixedNo, help: "Whether assets join the albums of their source.")
    var albums = true

    @Flag(help: "Puts assets into an album named after their folder.")
    var albumsFromFolders = false

    @Option(help: .value("file", "The file with Immich's API key."), completion: .file())
    var keyFile: String?

    @Flag(help: "Shows what would be imported, without sending it.")
    var dryRun = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        try requireTitle(album)
        if paths.contains(where: Self.isAddress) {
            guard paths.count == 1 else { throw ValidationError("Name one server, and nothing else.") }
            guard ServerOrigin.foreign(paths[0]) != nil else {
                throw ValidationError("A server's address is https://host[:port] or http://host[:port].")
            }
        } else if keyFile != nil {
            throw ValidationError("--key-file is for an Immich server: add its address.")
        }
    }

    func run() async throws {
        if let address = paths.first, Self.isAddress(address) { return try await importFromImmich(address) }
        let session = common.session
        let client = try common.client()
        var collection = MediaCollection(in: session.fileSystem, readsArchives: true)
        try collection.add(named: paths.map { Path($0) })
        collection.joinPairs()
        if dryRun {
            try common.show(.importable(collection, keepsAlbums: albums))
            return common.tell(FileUploader.Report(collection))
        }
        var uploader = uploader(client, collection.fileSystem)
        var report = FileUploader.Report(collection)
        var bar = ProgressLine(session, common.output.format)
        let began = session.now()
        let total = collection.groups.reduce(Int64(0)) { $0 + $1.byteCount }
        var doneBytes: Int64 = 0
        for (index, group) in collection.groups.enumerated() {
            try await uploader.take(group, &report)
            doneBytes += group.byteCount
            bar.show(doneBytes, of: total, things: (index + 1, collection.groups.count, "asset"), since: began)
        }
        try await uploader.finish(&report)
        bar.clear()
        try common.show(report)
    }

    private static func isAddress(_ path: String) -> Bool {
        ["http://", "https://"].contains { path.lowercased().hasPrefix($0) }
    }

    private func uploader(_ client: LibraryClient, _ fileSystem: any FileSystem) -> FileUploader {
        FileUploader(
            client: client,
            fileSystem: fileSystem,
            album: album.map { .title($0) },
            keepsAlbums: albums,
            makesAlbumsOfFolders: albumsFromFolders
        )
    }

    private func importFromImmich(_ address: String) async throws {
        do {
            try await take(try immich(address))
        } catch let error as ImmichError {
            throw AdminError(error)
        }
    }

    private func take(_ immich: ImmichLibrary) async throws {
        let client = try common.client()
        var upload = ImmichUpload(client, uploader(client, common.session.fileSystem))
        if dryRun {
            try common.show(.importable(try await upload.candidates(of: immich)))
            return common.tell(upload.report)
        }
        try await upload.takeAll(of: immich)
        try common.show(upload.report)
    }

    private func immich(_ address: String) throws -> ImmichLibrary {
        let session = common.session
        guard let (origin, trust) = ServerOrigin.foreign(address) else {
            throw AdminError(.usage, "\(address) is not a server's address.", next: "tintypectl import --help")
        }
        let key = try keyFile.map { String(decoding: try session.read($0), as: UTF8.self) }
        let server = try ImmichServer(
            try session.connectForeign(CurlSettings(origin: origin, trust: trust)),
            key: key ?? session.environment["IMMICH_API_KEY"] ?? ""
        )
        let state = try StateFolder(session)
        return ImmichLibrary(
            server,
            try ImmichLedger(of: "\(origin)", in: state.path, state.fileSystem),
            through: state.path.appending("immich-files"),
            in: session.fileSystem
        )
    }
}
