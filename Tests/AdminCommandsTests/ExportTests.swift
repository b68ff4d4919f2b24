import Glibc
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AdminCommands

struct ExportTests {
    private let library = StubLibrary()
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test(
        "a template is a path below the folder, with placeholders that there are",
        arguments: [
            ("{year}/{name}", true), ("{album}", true), ("photos", true), ("a/{id}-{hour}{minute}{second}", true),
            ("", false), ("/abs/{name}", false), ("a//b", false), ("../{name}", false), ("a/..", false), ("./a", false),
            ("{size}", false), ("{name", false), ("name}", false), ("{}", false),
        ]
    )
    func templates(text: String, isGood: Bool) {
        #expect((ExportTemplate(argument: text) != nil) == isGood)
    }

    @Test("T33: no name leads out of the folder, and dates are those of the place")
    func hostileNames() throws {
        let template = try #require(ExportTemplate(argument: "{album}/{device}/{year}-{month}-{day}/{hour}{minute}"))
        var asset = Samples.livePhoto().asset
        let path = template.path(of: asset, device: "../../etc", album: "..")
        #expect(path == ["_", "_.._etc", "2026-07-02", "0030"])
        asset.captureTime.utcOffsetSeconds = nil
        #expect(template.path(of: asset, device: nil, album: nil)[1...] == ["operator", "2026-07-01", "2230"])
        let long = template.path(
            of: asset,
            device: "a\u{0}b\u{1B}[2J\u{202E}c",
            album: String(repeating: "ä", count: 300)
        )
        #expect(long[0].utf8.count <= 180)
        #expect(long[1] == "a_b_[2J_c")
    }

    @Test("a Live Photo is a pair of one name with its sidecar; asked for, one Motion Photo")
    func plans() throws {
        var asset = Samples.livePhoto().asset
        #expect(ExportPlan(asset, isMotionPhoto: false, hasSidecar: true).files.map(\.suffix) == [".JPG", ".MOV"])
        asset.title = "Gate"
        let pair = ExportPlan(asset, isMotionPhoto: false, hasSidecar: true)
        #expect(pair.files.map(\.suffix) == [".JPG", ".MOV", ".JPG.xmp"])
        #expect(pair.byteCount == 5000)
        let motion = ExportPlan(asset, isMotionPhoto: true, hasSidecar: true)
        #expect(motion.files.map(\.suffix) == [".MP.JPG", ".MP.JPG.xmp"])
        let still = try #require(asset.resources.first)
        let edited = AssetResource(
            id: ResourceID(rawValue: 99),
            type: .fullSizePhoto,
            digest: still.digest,
            byteCount: 1,
            contentType: "image/heic",
            originalFilename: FileName("render.JPG")
        )
        asset.resources.append(edited)
        let all = ExportPlan(asset, isMotionPhoto: false, hasSidecar: false).files.map(\.suffix)
        #expect(all == [".JPG", ".MOV", "-edited.heic"], "an ending that the bytes have not earned is not kept")
    }

    @Test("what Apple's devices keep of an edit is written beside its photo, under the stem that they look for")
    func adjustment() async throws {
        var photo = Samples.livePhoto()
        let bytes = Array("<plist/>".utf8)
        photo.asset.resources.append(
            AssetResource(
                id: ResourceID(rawValue: 77),
                type: .adjustmentData,
                digest: ContentHasher.digest(bytes),
                byteCount: Int64(bytes.count),
                contentType: "application/x-apple-adjustment-data",
                originalFilename: FileName("IMG_1.aae")
            )
        )
        photo.files.append(bytes)
        let motion = ExportPlan(photo.asset, isMotionPhoto: true, hasSidecar: false)
        #expect(motion.files.map(\.suffix) == [".MP.JPG", ".MP.aae"])
        try hold([photo])
        let outcome = await runExport()
        #expect(outcome.status == 0, "\(outcome.notes)")
        let plain = [".tintype-export.jsonl", "gate/IMG_1.JPG", "gate/IMG_1.MOV", "gate/IMG_1.aae"]
        #expect(try folder.files() == plain)
        #expect(await runExport("--own-names").status == 0)
        #expect(try folder.files().contains("gate/\(photo.asset.id)/IMG_1.aae"))
    }

    /// A library that holds assets and serves their files.
    private func hold(_ photos: [(asset: Asset, files: [[UInt8]])]) throws {
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [Samples.device(1, name: "gate")]))
        try library.answer("GET /v1/albums", with: AlbumPage(albums: []))
        let query = PercentEncoding.query([("sort", "captureDate"), ("limit", "500"), ("bursts", "all")])
        try library.answer("GET /v1/assets?\(query)", with: AssetPage(assets: photos.map(\.asset)))
        for photo in photos {
            for (resource, bytes) in zip(photo.asset.resources, photo.files) {
                library.answer("GET /v1/assets/\(photo.asset.id)/resources/\(resource.id)", bytes: bytes)
            }
        }
    }

    private func runExport(_ words: String...) async -> CommandOutcome {
        await CommandRunner(library: library).run(["export", folder.path, "--template", "{device}/{name}"] + words)
    }

    @Test("files are written once; twins and somebody else's file get names of their own; a second run writes nothing")
    func export() async throws {
        var first = Samples.livePhoto(7)
        first.asset.caption = "by the gate"
        try hold([first, Samples.livePhoto(8)])
        let outcome = await runExport()
        #expect(outcome.status == 0, "\(outcome.notes)")
        let ledger = ".tintype-export.jsonl"
        let names = [
            ledger, "gate/IMG_1-00000008.JPG", "gate/IMG_1-00000008.MOV", "gate/IMG_1.JPG", "gate/IMG_1.JPG.xmp",
            "gate/IMG_1.MOV",
        ]
        #expect(try folder.files() == names)
        let before = library.requests.count
        let again = await runExport("--json")
        #expect(again.output.contains(#""unchanged" : 5"#) && again.output.contains(#""written" : 0"#))
        #expect(!library.requests[before...].contains { $0.line.contains("/resources/") })

        // A power cut before the ledger knew: the same bytes are taken for what they are.
        try folder.write(ledger, "")
        #expect(await runExport("--json").output.contains(#""written" : 0"#))
        #expect(try folder.files() == names)
    }

    @Test(
        "T33: a link in place of a subfolder leads no file of a pair out of the export, whatever is behind it",
        arguments: [
            ("{device}/{name}", false), ("{device}/{year}/{name}", false), ("{device}/{year}/{name}", true),
        ]
    )
    func linkedFolder(template: String, hasYear: Bool) async throws {
        var photo = Samples.livePhoto()
        photo.asset.title = "Gate"
        try hold([photo])
        let outside = try TestFolder()
        if hasYear { #expect(unsafe mkdir(outside.path + "/2026", 0o750) == 0) }
        #expect(unsafe symlink(outside.path, folder.path + "/gate") == 0)
        let command = ["export", folder.path, "--template", template]
        for options in [[], ["--own-names"]] {
            let outcome = await CommandRunner(library: library).run(command + options)
            #expect(outcome.status == 1 && outcome.output.contains("not a folder"), "\(outcome)")
            #expect(try outside.files() == [])
        }
    }

    @Test("the export's own folder may be a link: whoever names it chose where it leads")
    func linkToExport() async throws {
        try hold([Samples.livePhoto()])
        let chosen = try TestFolder()
        #expect(unsafe symlink(folder.path, chosen.path + "/link") == 0)
        let outcome = await CommandRunner(library: library).run(["export", chosen.path + "/link"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try folder.files().contains { $0.hasSuffix("IMG_1.JPG") })
    }

    @Test("a sidecar follows what people write, unless somebody changed it")
    func sidecars() async throws {
        var photo = Samples.livePhoto()
        photo.asset.title = "one"
        try hold([photo])
        #expect(await runExport().status == 0)
        photo.asset.title = "two"
        try hold([photo])
        #expect(await runExport("--json").output.contains(#""updated" : 1"#))
        #expect(try folder.text("gate/IMG_1.JPG.xmp").contains("two"))
        try folder.write("gate/IMG_1.JPG.xmp", "mine")
        let kept = await runExport()
        #expect(kept.status == 1 && kept.output.contains("somebody changed the sidecar"))
        #expect(try folder.text("gate/IMG_1.JPG.xmp") == "mine")
    }

    @Test("bytes that are not those that were promised leave no file, and the rest is written")
    func damage() async throws {
        let photo = Samples.livePhoto()
        try hold([photo])
        library.answer("GET /v1/assets/\(photo.asset.id)/resources/\(photo.asset.resources[0].id)", bytes: [1, 2, 3])
        let outcome = await runExport()
        #expect(outcome.status == 1 && outcome.output.contains("not those that the library promised"))
        #expect(try folder.files() == [".tintype-export.jsonl", "gate/IMG_1.MOV"])
        try hold([photo])
        #expect(await runExport().status == 0, "mended, it goes on")
        #expect(try folder.files().contains("gate/IMG_1.JPG"))
    }
}
