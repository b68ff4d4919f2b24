import Foundation
import Glibc
import TestSupport
import Testing

/// Names as they come from cards, cameras and other systems: into the library and out again, byte by byte.
@Suite(.serialized)
struct OddNamesTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Names that other programs change, refuse or mix up.
    private static let names: [[UInt8]] = [
        Array(repeating: UInt8(ascii: "n"), count: 251) + bytes(".jpg"), bytes("caf\u{E9}.jpg"),
        bytes("cafe\u{301}.jpg"), bytes("two\nlines.jpg"), [0xE9, 0x74, 0xE9] + bytes(".jpg"),
        bytes("\u{301}mark.jpg"), bytes("-rf *.jpg"), bytes(" trailing .jpg"), bytes("Case.JPG"), bytes("case.jpg"),
        bytes("percent%2F..%00?#&+.jpg"), bytes("quote\"'\\.jpg"), bytes("\u{202E}gpj.\u{1F600}.jpg"),
        bytes("dots...jpg"), bytes("no suffix"), bytes("trailing dot."),
    ]

    private func write(_ folder: URL, _ name: [UInt8], _ content: [UInt8]) throws {
        let path = (Array(folder.path.utf8) + [UInt8(ascii: "/")] + name).map { CChar(truncatingIfNeeded: $0) } + [0]
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0, "errno \(errno)")
        #expect(unsafe Glibc.write(descriptor, content, content.count) == content.count)
        close(descriptor)
    }

    /// Every file below a folder: the bytes of its name, and what is in it.
    private func files(below folder: [UInt8]) throws -> [[UInt8]: Set<[UInt8]>] {
        var found: [[UInt8]: Set<[UInt8]>] = [:]
        let path = folder.map { CChar(truncatingIfNeeded: $0) } + [0]
        guard let directory = unsafe opendir(path) else { throw POSIXError(.ENOENT) }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name: [UInt8] = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name.first == UInt8(ascii: ".") { continue }
            let inner = folder + [UInt8(ascii: "/")] + name
            if unsafe entry.pointee.d_type == UInt8(DT_DIR) {
                found.merge(try files(below: inner)) { $0.union($1) }
            } else {
                guard let file = unsafe fopen(inner.map { CChar(truncatingIfNeeded: $0) } + [0], "r") else {
                    throw POSIXError(.ENOENT)
                }
                defer { unsafe fclose(file) }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = unsafe fread(&buffer, 1, buffer.count, file)
                found[name, default: []].insert(Array(buffer[..<count]))
            }
        }
        return found
    }

    @Test("Odd names, also 24 folders deep, come into the library and out again under the same bytes")
    func roundTrip() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let card = programs.root.appending(path: "card")
        var deep = card
        for level in 0..<24 { deep = deep.appending(path: "level \(level)") }
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        var wanted: [[UInt8]: Set<[UInt8]>] = [:]
        for (index, name) in (Self.names + [Self.bytes("bottom.jpg")]).enumerated() {
            let content = [0xFF, 0xD8, 0xFF, 0xE0, UInt8(index)] + [UInt8](repeating: 1, count: 60) + [0xFF, 0xD9]
            try write(name == Self.bytes("bottom.jpg") ? deep : card, name, content)
            wanted[name] = [content]
        }
        let imported = try programs.agent("import", card.path, "--json")
        #expect(try imported.json()["added"] as? Int == wanted.count, "\(imported.output) \(imported.errors)")
        #expect(try programs.agent("sync", "--once").status == 0)
        let out = programs.root.appending(path: "out")
        for written in [wanted.count, 0] {
            let exported = try programs.operate("export", out.path, "--template", "{id}", "--own-names", "--json")
            #expect(exported.status == 0, "\(exported.output) \(exported.errors)")
            #expect(try exported.json()["written"] as? Int == written, "what is there already stays")
        }
        #expect(try files(below: Array(out.path.utf8)) == wanted)
    }
}
