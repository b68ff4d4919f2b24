import Foundation
import TestSupport
import Testing

/// Moving in and out with the built programs: a Takeout's archives in, a folder that follows the library out.
@Suite(.serialized)
struct MovingTests {
    /// Two archives: photos in one, what Google says about them in the other.
    private static let packing = """
        import json, sys, zipfile
        first, second, red, green = sys.argv[1], sys.argv[2], open(sys.argv[3], "rb").read(), open(sys.argv[4], "rb").read()
        year, lake = "Takeout/Google Photos/Photos from 2023/", "Takeout/Google Photos/Lake/"
        def document(title, **more):
            more.update(title=title, photoTakenTime={"timestamp": "1690794000"})
            return json.dumps(more)
        with zipfile.ZipFile(first, "w", zipfile.ZIP_DEFLATED) as photos, zipfile.ZipFile(second, "w") as words:
            for folder in year, lake:
                photos.writestr(folder + "IMG_1.jpg", red)
                words.writestr(folder + "IMG_1.jpg.supplemental-metadata.json",
                    document("IMG_1.jpg", description="By the lake", favorited=True, people=[{"name": "Ada"}]))
            words.writestr(lake + "metadata.json", json.dumps({"title": "Lake 2023"}))
            photos.writestr(year + "IMG_2.jpg", green)
            photos.writestr(year + "IMG_2-edited.jpg", red + b"edited")
            photos.writestr(year + "IMG_3.jpg", green + b"trash")
            words.writestr(year + "IMG_2.jpg.supplemental-metadata.json", document("IMG_2.jpg"))
            words.writestr(year + "IMG_3.jpg.supplemental-metadata.json", document("IMG_3.jpg", trashed=True))
        """

    @Test("a Takeout's archives become assets, edits and albums once; a mirror follows, and loses what is thrown away")
    func takeoutAndMirror() throws {
        let programs = try Programs()
        try programs.start()
        let photos = try programs.photos([3000, 4000], seed: 7).map(\.path)
        let archives = ["takeout-001.zip", "takeout-002.zip"].map { programs.root.appending(path: $0).path }
        let packed = try ChildProcess.run("python3", ["-c", Self.packing] + archives + photos)
        try #require(packed.status == 0, "\(packed.errors)")

        let dry = try programs.operate(["import", "--dry-run"] + archives)
        #expect(dry.status == 0 && dry.output.contains("Lake 2023") && dry.errors.contains("trash of Google Photos"))
        let first = try programs.operate(["import"] + archives)
        #expect(first.status == 0 && first.output.contains("2 assets"), "\(first)")
        let again = try programs.operate(["import"] + archives)
        #expect(again.status == 0 && again.output.contains("0 assets"), "\(again)")
        let shown = try programs.operate("asset", "list", "--json").output
        #expect(shown.contains("By the lake") && shown.contains("Ada") && shown.contains("2023-07-31T09:00:00Z"))
        let albums = try programs.operate("album", "list").output
        #expect(albums.contains("Lake 2023"), "\(albums)")

        let mirror = programs.root.appending(path: "mirror")
        let follow = ["export", mirror.path, "--template", "{name}", "--follow", "--once", "--delete"]
        let followed = try programs.operate(follow)
        #expect(followed.status == 0, "\(followed)")
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: mirror.path).filter { !$0.hasPrefix(".") })
        #expect(names.isSuperset(of: ["IMG_1.jpg", "IMG_1.jpg.xmp", "IMG_2.jpg", "IMG_2-edited.jpg"]), "\(names)")
        #expect(try Data(contentsOf: mirror.appending(path: "IMG_1.jpg")) == Data(contentsOf: URL(filePath: photos[0])))
        // What Google said is there for other programs to read.
        let sidecar = mirror.appending(path: "IMG_1.jpg.xmp").path
        let words = try tool("exiftool", ["-s3", "-XMP-dc:Description", "-XMP-dc:Subject", sidecar])
        #expect(words.output.contains("By the lake") && words.output.contains("Ada"), "\(words)")

        let lake = try programs.operate("asset", "list", "--album", "Lake 2023", "--quiet").output
        let thrown = try programs.operate("asset", "trash", String(lake.prefix { $0 != "\n" }))
        #expect(thrown.status == 0, "\(thrown)")
        #expect(try programs.operate(follow).status == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: mirror.path)
        #expect(!left.contains { $0.hasPrefix("IMG_1") } && left.contains("IMG_2.jpg"), "\(left)")
    }

    @Test("A mirror that goes on gets each photo as it comes; SIGTERM leaves whole files, and it goes on from there")
    func followed() throws {
        let programs = try Programs()
        try programs.start()
        let photos = try programs.photos([3000, 400_000])
        #expect(try programs.operate("import", photos[0].path).status == 0)
        let mirror = programs.root.appending(path: "mirror")
        let command = ["export", mirror.path, "--template", "{name}", "--follow"]
        let following = try programs.startOperating(command)
        defer { if following.process.isRunning { following.process.terminate() } }
        // A round is told once its files and its position are durable.
        func rounds(_ count: Int) throws {
            try programs.eventually("\(count) rounds") {
                try #require(following.process.isRunning)
                return try following.lines().count { $0.contains(#""written":1,"#) } == count
            }
        }
        try rounds(1)
        #expect(try programs.operate("import", photos[1].path).status == 0)
        try rounds(2)
        following.process.terminate()
        let ended = try following.end()
        #expect(following.process.terminationReason == .uncaughtSignal && ended.status == SIGTERM, "\(ended)")
        #expect(ended.errors.isEmpty, "\(ended)")
        func names() throws -> Set<String> { try Set(FileManager.default.contentsOfDirectory(atPath: mirror.path)) }
        let expected = Set(
            photos.map(\.lastPathComponent) + [".tintype-export.jsonl", ".tintype-export-position.json"]
        )
        #expect(try names() == expected, "nothing that is not whole")
        for photo in photos {
            #expect(try Data(contentsOf: mirror.appending(path: photo.lastPathComponent)) == Data(contentsOf: photo))
        }
        let again = try programs.operate(command + ["--once", "--json"])
        #expect(try again.status == 0 && again.json()["written"] as? Int == 0, "\(again)")
        #expect(try names() == expected)
    }

    @Test("A box takes a Takeout's archives in as a person at the library does, with the first album of each photo")
    func takeoutOfBox() throws {
        let programs = try Programs()
        try programs.start()
        let enrolled = try programs.agent("enroll", programs.url, "--token", programs.token(), "--json")
        let device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
        let photos = try programs.photos([3000, 4000], seed: 7).map(\.path)
        let archives = ["takeout-001.zip", "takeout-002.zip"].map { programs.root.appending(path: $0).path }
        let packed = try ChildProcess.run("python3", ["-c", Self.packing] + archives + photos)
        try #require(packed.status == 0, "\(packed.errors)")

        let linked = try programs.agent(["import", "--link"] + archives)
        #expect(linked.status == 1 && linked.errors.contains("in an archive"), "\(linked)")
        let first = try programs.agent(["import", "--json", "--sync"] + archives)
        #expect(first.status == 0, "\(first)")
        #expect(try first.json()["added"] as? Int == 2)
        #expect((try first.json()["leftBehind"] as? [String])?.contains { $0.contains("trash of Google") } == true)
        let again = try programs.agent(["import", "--json"] + archives)
        #expect(try again.json()["added"] as? Int == 0 && again.json()["known"] as? Int == 3)
        let shown = try programs.operate("asset", "list", "--json").output
        #expect(shown.contains("By the lake") && shown.contains("Ada") && shown.contains("2023-07-31T09:00:00Z"))
        // Who may only add changes no album: the library keeps the wish until somebody decides.
        #expect(try programs.operate("device", "decide", device, "--as", "all").status == 0)
        let lake = try programs.operate("asset", "list", "--album", "Lake 2023", "--quiet").output
        #expect(lake.split(separator: "\n").count == 1, "\(lake)")
    }
}
