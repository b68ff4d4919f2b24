import Foundation
import TestSupport

/// Runs the programs that judge our files from outside.
enum Tool {
    /// What a program said.
    struct Output {
        let status: Int32
        let bytes: Data
        let errorText: String

        var text: String { String(decoding: bytes, as: UTF8.self) }
        var lines: [Substring] { text.split(separator: "\n") }
    }

    /// Runs a program found in `PATH` to its end.
    static func run(_ name: String, _ arguments: [String]) throws -> Output {
        let outcome = try ChildProcess.run(name, arguments)
        return Output(status: outcome.status, bytes: outcome.output, errorText: outcome.errors)
    }

    /// Tags of a file as exiftool reads them, `Group:Name` to text.
    ///
    /// Both names of a tag are known: Debian 12's exiftool (12.57) calls some otherwise than newer ones.
    static func tags(of path: String, _ options: [String] = []) throws -> [String: String] {
        let output = try run("exiftool", ["-G1", "-s", "-a", "-n"] + options + [path])
        var tags: [String: String] = [:]
        for line in output.lines {
            guard let close = line.firstIndex(of: "]"), let colon = line.firstIndex(of: ":") else { continue }
            let group = line[line.index(after: line.startIndex)..<close]
            let name = line[line.index(after: close)..<colon].trimmingCharacters(in: .whitespaces)
            let key = "\(group):\(name)"
            tags[newerNames[key] ?? key] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return tags
    }

    private static let newerNames = [
        "Apple:MediaGroupUUID": "Apple:ContentIdentifier",
        "XMP-Container:DirectoryItemMime": "XMP-GContainer:DirectoryItemMime",
        "XMP-Container:DirectoryItemLength": "XMP-GContainer:DirectoryItemLength",
    ]
}
