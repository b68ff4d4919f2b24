import Foundation
import Testing

/// Rules of the house that neither the compiler nor the formatter checks.
struct HouseRuleTests {
    @Test("every package and public declaration has a doc comment")
    func documentation() throws {
        let declaration =
            /^\s*(?:@\w+(?:\([^)]*\))? )*(?:package|public)(?:\(set\))? (?:static |final |indirect |mutating |consuming |borrowing |nonisolated |override |required |convenience )*(?:func|var|let|struct|enum|class|actor|protocol|typealias|init|subscript|case|extension|associatedtype)\b/
        var seen = 0
        for file in try SourceTree().files {
            for (number, line) in file.lines.enumerated() where line.firstMatch(of: declaration) != nil {
                if line.contains(/\b(?:package|public) extension\b/) { continue }
                if isMemberwiseInitializer(at: number, of: file.lines) { continue }
                seen += 1
                let above = file.lines[..<number].last { !$0.contains(/^\s*(?:@\w+.*|#if .*|\)|where .*)$/) }
                let isDocumented = above?.contains(/^\s*\/\/\//) ?? false
                #expect(isDocumented, "\(file.path):\(number + 1) has no doc comment")
            }
        }
        #expect(seen > 100, "only \(seen) declarations were found: the pattern is wrong")
    }

    /// Whether an initializer only stores its parameters, so that its signature says all there is to say.
    private func isMemberwiseInitializer(at number: Int, of lines: [Substring]) -> Bool {
        guard lines[number].contains(/\sinit\(/) else { return false }
        let indentation = lines[number].prefix { $0 == " " }
        // One line that ends in a brace, or the line of the closing parenthesis.
        guard let opening = lines[number...].firstIndex(where: { $0.hasSuffix("{") || $0.hasSuffix(" }") }),
            !lines[opening].contains(/throws|async/)
        else { return false }
        if lines[opening].hasSuffix(" }") {
            return lines[opening].contains(/\{(?:\sself\.(\w+) = \1(?:\s|;))+\}$/)
        }
        let body = lines[(opening + 1)...].prefix { $0 != "\(indentation)}" }
        return body.allSatisfy { $0.contains(/^\s*self\.(\w+) = \1$/) }
    }

    @Test("no file is longer than 400 lines, no function longer than 70, unless it says why")
    func lengths() throws {
        for file in try SourceTree().files {
            let excuse = file.lines.contains { $0.contains("// Longer than usual because") }
            #expect(file.lines.count <= 401 || excuse, "\(file.path) has \(file.lines.count) lines")
            for (start, length) in Self.functionLengths(file.lines) where length > 70 {
                #expect(excuse, "\(file.path):\(start + 1): a function of \(length) lines")
            }
        }
    }

    @Test("nothing is left open, forced or taken from the surroundings")
    func banned() throws {
        let everywhere = [
            /\b(?:TODO|FIXME|XXX)\b/, /\btry!/, #/\bas! /#, /\bfatalError\(/, /Task\.detached/,
            // A `CChar` is an Int8 on x86 and a UInt8 on 64-bit ARM: this compiles on one of them only.
            /\bCChar\(bitPattern:/,
        ]
        let belowComposition = [/\bDate\(\)/, /\bDate\.now\b/, /SystemRandomNumberGenerator\(\)/]
        for file in try SourceTree().files {
            let layer = Architecture.modules[file.module]?.layer ?? .composition
            for (number, line) in file.lines.enumerated() {
                let patterns = layer < .composition ? everywhere + belowComposition : everywhere
                for pattern in patterns where line.firstMatch(of: pattern) != nil {
                    Issue.record("\(file.path):\(number + 1): \(line.drop { $0 == " " })")
                }
            }
        }
    }

    @Test("commands encode the JSON that they print: none is typed by hand")
    func typedJSON() throws {
        let files = try SourceTree().files.filter { ["AdminCommands", "AgentCommands"].contains($0.module) }
        #expect(files.count > 50, "only \(files.count) files were found: the modules have other names")
        for file in files {
            for (number, line) in file.lines.enumerated() where line.mentions(#"{\""#) {
                Issue.record("\(file.path):\(number + 1): \(line)")
            }
        }
    }

    @Test("an executable is at most 40 lines: it parses, loads settings and runs")
    func executables() throws {
        for file in try SourceTree().files where Architecture.modules[file.module]?.layer == .executables {
            #expect(file.lines.count <= 41, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test("the rules of the library's store decide from values: they read no rows and no clock")
    func rules() throws {
        let files = try SourceTree().files.filter { $0.path.hasPrefix("Sources/LibraryStore/Rules/") }
        #expect(files.count >= 3, "only \(files.count) files were found: the path is wrong")
        let imported = /^(?:package )?import (?!Authorization$|LibraryAPI$|PhotoModel$)/
        let read = /\bSQLSession\b|Table\.|\beffects\b|\bnow\(\)|\basync\b|\bthrows\b(?!\()/
        for file in files {
            for (number, line) in file.lines.enumerated() {
                let isPure = line.firstMatch(of: imported) == nil && line.firstMatch(of: read) == nil
                #expect(isPure, "\(file.path):\(number + 1): \(line)")
            }
        }
    }

    @Test("every module has its line in docs/modules.md")
    func modulePage() throws {
        let page = try SourceTree.text("docs/modules.md")
        for module in Set(try SourceTree().files.map(\.module)) {
            #expect(page.contains("`\(module)`"), "docs/modules.md does not name \(module)")
        }
    }

    @Test("no file that is committed names a path of one machine")
    func paths() throws {
        let pattern = /(?:^|[^A-Za-z0-9_.])\/(?:work|farm|home\/\w|root)\//
        for file in try SourceTree().files {
            for (number, line) in file.lines.enumerated() where line.firstMatch(of: pattern) != nil {
                Issue.record("\(file.path):\(number + 1): \(line)")
            }
        }
    }

    /// Where each function starts and how many lines it has, by the indentation that the formatter guarantees.
    private static func functionLengths(_ lines: [Substring]) -> [(start: Int, length: Int)] {
        lines.indices.compactMap { start in
            guard lines[start].mentions("func ") || lines[start].mentions("init"),
                lines[start].firstMatch(of: /^\s*(?:[a-z@()]+ )*(?:func |init\(|init\?\()/) != nil
            else { return nil }
            let indentation = lines[start].prefix { $0 == " " }
            guard let opening = lines[start...].firstIndex(where: { $0.hasSuffix("{") || $0.isEmpty }),
                lines[opening].hasSuffix("{"),
                let end = lines[opening...].firstIndex(where: { $0 == indentation + "}" })
            else { return nil }
            return (start, end - start + 1)
        }
    }
}
