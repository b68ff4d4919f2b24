import Foundation
import Persistence
import PersistenceTestSupport
import Testing

struct LineFileTests {
    private let directory: TemporaryDirectory
    private var path: Path { directory.path.appending("log") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Lines that are numbers; anything else cannot be decoded.
    private func read(_ lines: inout [Int]) throws -> LineFile {
        try LineFile(path, in: PosixFileSystem()) { line in
            guard let number = Int(String(decoding: line, as: UTF8.self)) else { return false }
            lines.append(number)
            return true
        }
    }

    @Test(
        "What a power cut left of a line is ignored and overwritten, even if it lacks nothing but its end",
        arguments: ["", "-", "2", "\0\0\0\n", "\n"]
    )
    func torn(rest: String) throws {
        try Data("1\n\(rest)".utf8).write(to: URL(filePath: "\(path)"))
        var lines: [Int] = []
        var file = try read(&lines)
        #expect(lines == [1])
        try file.append("3".utf8)
        try file.append("4".utf8)
        lines = []
        _ = try read(&lines)
        #expect(lines == [1, 3, 4])
    }

    @Test("A file that does not exist has no lines, and begins with the first")
    func absent() throws {
        var lines: [Int] = []
        var file = try read(&lines)
        #expect(lines.isEmpty)
        try file.append("1".utf8)
        _ = try read(&lines)
        #expect(lines == [1])
    }
}
