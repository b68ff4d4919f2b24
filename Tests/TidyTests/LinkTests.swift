import Foundation
import Testing

/// Documents lead somewhere.
struct LinkTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The README and every document, by its path.
    private static func documents() throws -> [String] {
        let below = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "docs").path)
        return ["README.md"] + below.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
    }

    /// The names by which the headings of a document can be linked, as forges make them.
    private static func anchors(_ text: String) -> Set<String> {
        Set(
            text.matches(of: /(?m)^#+ (.+)$/).map { heading in
                String(heading.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) })
                    .replacing(" ", with: "-")
            }
        )
    }

    @Test("every link of the README and the documents leads to a file that is there, and to a heading in it")
    func links() throws {
        var count = 0
        for document in try Self.documents() {
            let url = Self.root.appending(path: document)
            let text = try String(contentsOf: url, encoding: .utf8)
            for link in text.matches(of: /\]\(([^)\s]+)\)/) where !link.1.hasPrefix("http") {
                count += 1
                let parts = link.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? url : url.deletingLastPathComponent().appending(path: String(parts[0]))
                guard FileManager.default.fileExists(atPath: target.path) else {
                    Issue.record("\(document) leads to \(link.1), which is not there")
                    continue
                }
                guard parts.count == 2 else { continue }
                let anchors = Self.anchors(try String(contentsOf: target, encoding: .utf8))
                #expect(anchors.contains(String(parts[1])), "\(document) leads to \(link.1)")
            }
        }
        #expect(count > 20)
    }
}
