import Foundation
import Persistence
import PhotoModel
import Testing

extension Programs {
    /// Files that begin as JPEGs do, small and large.
    func photos(_ sizes: [Int], seed: UInt8 = 0) throws -> [URL] {
        let folder = root.appending(path: "card-\(seed)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try sizes.enumerated().map { index, size in
            let file = folder.appending(path: "\(seed)-\(index).jpg")
            let bytes = [0xFF, 0xD8, 0xFF, UInt8(index), seed] + (0..<size).map { UInt8(truncatingIfNeeded: $0 >> 3) }
            try Data(bytes).write(to: file)
            return file
        }
    }

    static func digests(_ files: [URL]) throws -> Set<String> {
        Set(try files.map { ContentHasher.digest(Array(try Data(contentsOf: $0))).description })
    }

    /// Writes a text into a file of its own; the file's path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = root.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}

extension Programs {
    /// Reads a route with the certificate of a box, as a program on it would.
    func read(asBox box: String, _ path: String) throws -> (status: Int, body: String) {
        let identity = root.appending(path: "\(box)/identity")
        let names = try FileManager.default.contentsOfDirectory(atPath: identity.path).filter { $0.hasSuffix(".json") }
        let chains = try names.compactMap { name -> String? in
            let data = try Data(contentsOf: identity.appending(path: name))
            return (try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) as? [String: Any])?[
                "certificateChain"
            ] as? String
        }
        let chain = try file("\(box).pem", try #require(chains.first))
        let answer = try tool(
            "curl",
            [
                "-sk", "--cert", chain, "--key", identity.appending(path: "key.pem").path, "-w", "\n%{http_code}",
                url + path,
            ]
        )
        let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }
}
