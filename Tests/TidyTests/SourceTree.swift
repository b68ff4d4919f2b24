import Foundation
import Glibc

extension Substring {
    /// Whether a text is in this one, by bytes: a look before a regular expression, which takes a hundred times as long.
    func mentions(_ text: String) -> Bool {
        unsafe String(self).withCString { unsafe strstr($0, text) != nil }
    }
}

/// The package as text: its manifest and the Swift files below `Sources`.
struct SourceTree {
    struct File {
        let module: String
        let path: String
        let lines: [Substring]
    }

    struct Target {
        let name: String
        /// Whether it is a test, or serves only tests: it lies below `Tests`.
        let isTest: Bool
        /// Targets of ours and products of packages, as the manifest names them.
        let dependencies: [String]
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    let files: [File]
    let targets: [Target]

    init() throws {
        files = try Self.readFiles()
        targets = Self.parseManifest(try Self.text("Package.swift"))
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func readFiles() throws -> [File] {
        let sources = root.appending(path: "Sources")
        return try FileManager.default.subpathsOfDirectory(atPath: sources.path).sorted()
            .filter { $0.hasSuffix(".swift") }
            .map { path in
                let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
                let module = path.split(separator: "/").first.map(String.init) ?? path
                return File(
                    module: module,
                    path: "Sources/\(path)",
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false)
                )
            }
    }

    /// Takes the targets out of the manifest's text; its form is fixed by the formatter: one dependency a line.
    private static func parseManifest(_ text: String) -> [Target] {
        text.split(separator: "\n        .").dropFirst().compactMap { section in
            guard let kind = section.firstMatch(of: /^(target|testTarget|executableTarget|systemLibrary)\(/)?.1,
                let name = section.firstMatch(of: /name: "([^"]+)"/)?.1
            else { return nil }
            var dependencies: [String] = []
            if let list = section.firstMatch(of: /dependencies: \[(?s:(.*?))\n            \]/)?.1 {
                dependencies = list.matches(of: /(?:^|\n)\s*(?:\.product\(name: )?"([^"]+)"/).map { String($0.1) }
            }
            let isTest =
                kind == "testTarget" || section.contains("path: \"Tests/") || section.contains("path: \"Examples/")
            return Target(name: String(name), isTest: isTest, dependencies: dependencies)
        }
    }
}
