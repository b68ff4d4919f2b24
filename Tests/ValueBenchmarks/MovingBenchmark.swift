import BenchmarkSupport
import Foundation
import MediaFiles
import Persistence
import PhotoModel
import TestSupport

/// The time to look through, hash and describe what another program exported, against a plain folder of the same photos.
///
/// That is an import without the sending, which is the same for all. `TINTYPE_FILES` sets how many photos (default 10,000);
/// the goal of 2 is for 100,000.
func movingBenchmark() throws {
    let count = ProcessInfo.processInfo.environment["TINTYPE_FILES"].flatMap { Int($0) } ?? 10_000
    let root = FileManager.default.temporaryDirectory.appending(path: "tintype-moving-\(getpid())")
    defer { try? FileManager.default.removeItem(at: root) }
    print("\(count) photos of 35 kB, 500 a folder")
    let sources: [(name: String, make: @Sendable (ExportedPhotos) throws -> [Path])] = [
        ("plain folder", { try $0.plain() }),
        ("Google Takeout, folders", { try $0.takeout() }),
        ("Google Takeout, two ZIP archives", { try $0.takeoutArchives() }),
        ("osxphotos with XMP", { try $0.beside(ending: "xmp") }),
        ("digiKam", { try $0.beside(ending: "jpg.xmp") }),
        ("PhotoPrism", { try $0.photoPrism() }),
    ]
    var plain: BenchmarkSupport.Measurement?
    for (name, make) in sources {
        let tree = ExportedPhotos(root: root.appending(path: "source"), count: count)
        let paths = try make(tree)
        var assets = 0
        // Everything was just written, so it is read from memory: the ratio shows the work, and no disk hides it.
        let taken = try measure { assets = try describe(paths) }
        try FileManager.default.removeItem(at: tree.root)
        let first = plain ?? taken
        plain = first
        func times(_ duration: Duration, _ other: Duration) -> String {
            (duration.seconds / other.seconds).formatted(.number.precision(.fractionLength(2)))
        }
        let rate = Int(Double(assets) / taken.wall.seconds)
        print(
            "\(name): \(assets) assets, \(rate) a second; \(times(taken.wall, first.wall)) times the plain folder's time, "
                + "\(times(taken.cpu, first.cpu)) its processor time"
        )
    }
}

/// Looks through paths as `tintypectl import` does, and describes every asset.
private func describe(_ paths: [Path]) throws -> Int {
    var collection = MediaCollection(in: PosixFileSystem(), readsArchives: true)
    try collection.add(named: paths)
    collection.joinPairs()
    let fileSystem = collection.fileSystem
    for group in collection.groups { _ = try ImportableAsset(group, album: nil, in: fileSystem) }
    return collection.groups.count
}

/// Photos as several programs export them.
private struct ExportedPhotos: Sendable {
    let root: URL
    let count: Int

    /// Bytes that do not shrink, as those of a photo do not.
    private static let filler: [UInt8] = {
        var generator = SeededGenerator(seed: 1)
        return (0..<35_000).map { _ in .random(in: .min ... .max, using: &generator) }
    }()

    private func bytes(_ number: Int) -> [UInt8] {
        // A JPEG of nothing but a comment, which nobody else has.
        let comment = Array("photo \(number)".utf8) + Self.filler
        let length = comment.count + 2
        return [0xFF, 0xD8, 0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 255)] + comment + [0xFF, 0xD9]
    }

    private func folder(of number: Int) -> String { "album \(number / 500)" }

    private func write(_ name: String, _ bytes: some DataProtocol) throws {
        let file = root.appending(path: name)
        do {
            try Data(bytes).write(to: file)
        } catch {
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
    }

    func plain() throws -> [Path] {
        for number in 0..<count { try write("\(folder(of: number))/IMG_\(number).jpg", bytes(number)) }
        return [Path(root.path)]
    }

    func takeout() throws -> [Path] {
        for number in 0..<count {
            let name = "Takeout/Google Photos/\(folder(of: number))/IMG_\(number).jpg"
            try write(name, bytes(number))
            let document = """
                {"title": "IMG_\(number).jpg", "description": "Photo \(number)", "favorited": true,
                "photoTakenTime": {"timestamp": "\(1_690_000_000 + number)"}, "people": [{"name": "Ada"}],
                "geoData": {"latitude": 47.3, "longitude": 8.5, "altitude": 400}}
                """
            try write("\(name).supplemental-metadata.json", Data(document.utf8))
            if number % 500 == 0 {
                let album = Data("{\"title\": \"Album \(number)\"}".utf8)
                try write("Takeout/Google Photos/\(folder(of: number))/metadata.json", album)
            }
        }
        return [Path(root.path)]
    }

    func takeoutArchives() throws -> [Path] {
        _ = try takeout()
        let script = """
            import os, sys, zipfile
            root = sys.argv[1]
            archives = [zipfile.ZipFile(f"{root}/takeout-{part}.zip", "w", zipfile.ZIP_DEFLATED) for part in (1, 2)]
            for folder, _, files in os.walk(root + "/Takeout"):
                for name in files:
                    path = os.path.join(folder, name)
                    archives[name.endswith(".json")].write(path, os.path.relpath(path, root))
            """
        let packing = Process()
        packing.executableURL = URL(filePath: "/usr/bin/python3")
        packing.arguments = ["-c", script, root.path]
        try packing.run()
        packing.waitUntilExit()
        return [1, 2].map { Path(root.appending(path: "takeout-\($0).zip").path) }
    }

    func beside(ending: String) throws -> [Path] {
        for number in 0..<count {
            let stem = "\(folder(of: number))/IMG_\(number)"
            try write("\(stem).jpg", bytes(number))
            let document = """
                <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
                <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
                xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"><dc:title><rdf:Alt>
                <rdf:li xml:lang="x-default">Photo \(number)</rdf:li></rdf:Alt></dc:title><dc:subject><rdf:Bag>
                <rdf:li>Ada</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>
                """
            try write("\(stem).\(ending)", Data(document.utf8))
        }
        return [Path(root.path)]
    }

    func photoPrism() throws -> [Path] {
        try write("storage/.ppstorage", Data("x".utf8))
        for number in 0..<count {
            let stem = "\(folder(of: number))/IMG_\(number)"
            try write("originals/\(stem).jpg", bytes(number))
            let document = """
                TakenAt: 2023-07-31T09:00:00Z
                UID: pq\(number)
                Type: image
                Title: Photo \(number)
                TitleSrc: manual
                Favorite: true
                """
            try write("storage/sidecar/\(stem).yml", Data(document.utf8))
        }
        return [Path(root.path)]
    }
}
