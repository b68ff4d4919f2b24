import Foundation
import Glibc
import TestSupport
import Testing

/// What a person at a box reads and scripts see of `import` and `queue export`.
@Suite(.serialized)
struct ImportCommandTests {
    private let box: Box
    private let card: URL

    init() throws {
        box = try Box()
        card = box.root.appending(path: "card")
        try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ number: Int, byteCount: Int = 64) throws {
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, UInt8(number % 256), UInt8(number / 256)]
        let bytes = head + [UInt8](repeating: 1, count: byteCount) + [0xFF, 0xD9]
        try Data(bytes).write(to: card.appending(path: name))
    }

    @Test("An export mends what it finds broken and says so; a folder of it comes in elsewhere as the same photos")
    func export() throws {
        for number in 1...3 { try write("IMG_\(number).JPG", number) }
        try Data("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ".utf8).write(to: card.appending(path: "IMG_1.MOV"))
        #expect(try box.agent(["import", card.path]).status == 0)
        let out = box.root.appending(path: "out")
        let first = try box.agent(["queue", "export", out.path])
        #expect(first.status == 0 && first.output.hasPrefix("3 exported to ") && first.errors.isEmpty, "\(first)")
        let movie = try #require(
            FileManager.default.enumerator(at: out, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
                .first { $0.lastPathComponent == "IMG_1.MOV" }
        )
        let whole = try Data(contentsOf: movie)
        try whole.dropLast(5).write(to: movie)
        let second = try box.agent(["queue", "export", out.path])
        #expect(second.status == 0 && second.errors.contains("rewritten") && second.errors.contains("IMG_1.MOV"))
        #expect(try Data(contentsOf: movie) == whole)
        let other = ["agent.path=\(box.root.appending(path: "other").path)"]
        let taken = try box.agent(["import", out.path, "--json"], settings: other)
        #expect(taken.status == 0, "\(taken)")
        #expect(try taken.json()["added"] as? Int == 3, "\(taken)")
        let lists = try [[], other].map { try box.agent(["queue", "list", "--json"], settings: $0) }
        let assets = try lists.map { list in
            let entries = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]]
            return Set(entries?.compactMap { $0["id"] as? String } ?? [])
        }
        #expect(assets[0].count == 3 && assets[0] == assets[1])
    }

    @Test("What an import did not take as it is stands in its lines and in the last one; links and FIFOs are no errors")
    func report() throws {
        try write("IMG_1.JPG", 1)
        try Data([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 3, count: 90)).write(to: card.appending(path: "cut.jpg"))
        try Data("<x/>".utf8).write(to: card.appending(path: "IMG_9.xmp"))
        #expect(unsafe symlink("..", card.path + "/loop") == 0 && mkfifo(card.path + "/fifo.jpg", 0o600) == 0)
        let told = try box.agent(["import", card.path])
        #expect(told.status == 0, "\(told)")
        #expect(
            told.output == "2 new, 0 known, 0 no media, 1 damaged (imported anyway), 1 without a photo.\n"
        )
        #expect(told.errors.contains("cut.jpg: it ends too early; imported anyway"), "\(told)")
        #expect(told.errors.contains("IMG_9.xmp: no photo or movie") && told.errors.contains("1 link was not followed"))
        #expect(told.errors.contains("1 FIFO, socket or device was passed over"), "\(told)")
        let fifo = try box.agent(["import", card.appending(path: "fifo.jpg").path])
        #expect(fifo.status == 1 && fifo.errors.contains("it is a FIFO"), "\(fifo)")
        #expect(fifo.output == "0 new, 0 known, 0 no media, 1 not taken.\n")
    }

    @Test("Ctrl-C ends an import with status 130 and a sentence; what came in stays, and the rest comes the next time")
    func interrupted() throws {
        for number in 0..<600 { try write("IMG_\(number).JPG", number, byteCount: 200_000) }
        let process = box.process(["import", card.path], [])
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.runAlone()
        let originals = box.agentPath.appending(path: "originals").path
        while process.isRunning, (try? FileManager.default.contentsOfDirectory(atPath: originals).isEmpty) ?? true {
            usleep(5000)
        }
        process.interrupt()
        process.waitUntilExit()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(process.terminationStatus == 130 && process.terminationReason == .exit, "\(text)")
        #expect(text.contains("Interrupted: what is in the queue is kept; run it again"), "\(text)")
        let rest = try box.agent(["import", card.path, "--json"])
        let known = try #require(try rest.json()["known"] as? Int)
        let added = try #require(try rest.json()["added"] as? Int)
        #expect(known > 0 && added == 600 - known, "\(rest)")
    }
}
