import Foundation
import MediaFormats
import TestSupport

/// Runs exiftool, the judge of what a file says.
enum ExifTool {
    /// What exiftool says about one file: `group:tag` to a number, a text or a list.
    typealias Answer = [String: Any]

    /// Asks about files and folders, values as numbers and raw texts.
    ///
    /// - Parameters:
    ///   - paths: files or folders.
    ///   - options: further options.
    /// - Returns: answers by file name.
    /// - Throws: when exiftool cannot be started or its answer is no JSON.
    static func read(_ paths: [String], options: [String] = []) throws -> [String: Answer] {
        let outcome = try ChildProcess.run("exiftool", ["-json", "-G1", "-n"] + options + paths)
        guard !outcome.output.isEmpty else { return [:] }
        let answers = try JSONSerialization.jsonObject(with: outcome.output) as? [Answer] ?? []
        return Dictionary(
            answers.compactMap { answer in
                (answer["SourceFile"] as? String).map { (($0 as NSString).lastPathComponent, Self.renamed(answer)) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Asks about files in memory, each named by its extension.
    static func read(_ files: [String: [UInt8]], options: [String] = []) throws -> [String: Answer] {
        try withTemporaryDirectory { folder in
            for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
            return try read([folder.path()], options: options)
        }
    }

    /// The names of exiftool 12.60 and newer for what an older one (Debian 12 has 12.57) calls otherwise.
    private static let newerNames = [
        "Apple:MediaGroupUUID": "Apple:ContentIdentifier",
        "XMP-Container:DirectoryItemMime": "XMP-GContainer:DirectoryItemMime",
        "XMP-Container:DirectoryItemSemantic": "XMP-GContainer:DirectoryItemSemantic",
        "XMP-Container:DirectoryItemLength": "XMP-GContainer:DirectoryItemLength",
    ]

    private static func renamed(_ answer: Answer) -> Answer {
        var renamed = answer
        for (old, new) in newerNames where renamed[new] == nil { renamed[new] = renamed.removeValue(forKey: old) }
        return renamed
    }

    /// What `-validate` and the parser complain about, but for a newer exiftool's word that the movie behind the picture
    /// is missing: generated metadata names one that no file here has.
    static func complaints(_ answer: Answer) -> [String] {
        answer.compactMap { key, value in
            if "\(value)".contains("from trailer") { return nil }
            let isComplaint = key.hasPrefix("ExifTool:Warning") || key.hasPrefix("ExifTool:Error")
            let isFailed = key == "ExifTool:Validate" && "\(value)" != "0 0 0"
            return isComplaint || isFailed ? "\(key) = \(value)" : nil
        }
    }
}
