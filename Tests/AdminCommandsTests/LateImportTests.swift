import Foundation
import Glibc
import LibraryAPI
import LibraryClient
import PhotoModel
import Testing

@testable import AdminCommands

/// Folders in which a photo's partners appear only after the photo was imported.
struct LateImportTests {
    /// What `import --json` tells.
    private struct Told: Decodable {
        struct Remark: Decodable {
            let path: String
            let reason: String
        }

        let added: Int
        let known: Int
        let separate: [Remark]
        let late: [Remark]
    }

    private static let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    private static let movie = Array("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ".utf8)
    private static let sidecar = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
        """

    private let library = ShelfLibrary()
    private let folder: TestFolder

    /// A folder with a photo that the library has.
    init() async throws {
        folder = try TestFolder()
        try Data(Self.photo).write(to: folder.url.appending(path: "IMG_1.JPG"))
        let first = try await runImport()
        #expect(first.status == 0 && first.told.added == 1)
    }

    private func runImport() async throws -> (status: Int32, told: Told) {
        let outcome = await CommandRunner(library: library).run(["import", folder.path, "--json"])
        return (outcome.status, try JSONDecoder().decode(Told.self, from: Data(outcome.output.utf8)))
    }

    @Test("a movie that comes after its photo becomes an asset of its own, which is said once")
    func movie() async throws {
        try Data(Self.movie).write(to: folder.url.appending(path: "IMG_1.MOV"))
        let (status, told) = try await runImport()
        #expect(status == 0 && told.added == 1 && told.known == 1 && told.late.isEmpty, "\(told)")
        #expect(told.separate.map(\.path) == ["\(folder.path)/IMG_1.MOV"])
        #expect(told.separate.first?.reason.contains("it came after IMG_1.JPG") == true, "\(told)")
        #expect(library.assets.map { $0.resources.map(\.type) }.contains([.video]))
        let again = try await runImport()
        #expect(again.status == 0 && again.told.added == 0 && again.told.known == 2, "\(again)")
        #expect(again.told.separate.isEmpty, "\(again)")
    }

    @Test("sidecars that come after their photo are told each time with status 1, until the library has their words")
    func sidecars() async throws {
        try folder.write("IMG_1.AAE", "<plist/>")
        try folder.write("IMG_1.xmp", Self.sidecar)
        for _ in 1...2 {
            let (status, told) = try await runImport()
            #expect(status == 1 && told.added == 0 && told.known == 1, "\(told)")
            #expect(told.late.map(\.path) == ["\(folder.path)/IMG_1.AAE", "\(folder.path)/IMG_1.xmp"])
            #expect(told.late.last?.reason.contains("it says what IMG_1.JPG lacks") == true, "\(told)")
        }
        try FileManager.default.removeItem(at: folder.url.appending(path: "IMG_1.AAE"))
        library.rate(try #require(Rating(rawValue: 4)))
        let (status, told) = try await runImport()
        #expect(status == 0 && told.known == 1 && told.late.isEmpty, "\(told)")
    }

    @Test("links and FIFOs in a folder are counted; sidecars without a photo or without words are named")
    func remarks() async throws {
        #expect(unsafe symlink("..", folder.path + "/loop") == 0 && symlink("IMG_1.JPG", folder.path + "/a.jpg") == 0)
        #expect(unsafe mkfifo(folder.path + "/fifo.jpg", 0o600) == 0)
        try folder.write("IMG_9.xmp", Self.sidecar)
        let told = await CommandRunner(library: library).run(["import", folder.path])
        #expect(told.status == 0, "\(told.notes)")
        #expect(told.output.contains("2 links, not followed") && told.output.contains("1 FIFO or device, skipped"))
        #expect(told.output.contains("IMG_9.xmp: no photo"))
        try folder.write("IMG_1.xmp", "nothing")
        let unread = await CommandRunner(library: library).run(["import", folder.path])
        #expect(unread.status == 1 && unread.output.contains("IMG_1.xmp: it is not readable XMP"), "\(unread.output)")
        let fifo = await CommandRunner(library: library).run(["import", folder.path + "/fifo.jpg"])
        #expect(fifo.status == 1 && fifo.output.contains("it is a FIFO"), "\(fifo.output)")
    }

    @Test("a sidecar of a photo that was purged has nobody left to tell of; a movie is taken all the same")
    func purged() async throws {
        try folder.write("IMG_1.xmp", Self.sidecar)
        library.purge()
        let (status, told) = try await runImport()
        #expect(status == 0 && told.known == 1 && told.late.isEmpty, "\(told)")
        // Its movie is a picture that nobody purged.
        try Data(Self.movie).write(to: folder.url.appending(path: "IMG_1.MOV"))
        let second = try await runImport()
        #expect(second.status == 0 && second.told.added == 1 && second.told.late.isEmpty, "\(second)")
        #expect(second.told.separate.map(\.path) == ["\(folder.path)/IMG_1.MOV"])
    }
}
