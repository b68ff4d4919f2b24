import Testing

/// Holds the manifest and every import to the architecture: arrows point down, and what is confined stays confined.
struct ImportTests {
    @Test("every target of the manifest is a module of the architecture, and depends only on what its row allows")
    func manifest() throws {
        let targets = try SourceTree().targets
        #expect(targets.count > 8, "the manifest was not understood")
        for target in targets where !target.isTest {
            guard let module = Architecture.modules[target.name] else {
                Issue.record(
                    "\(target.name) is no module of the architecture: give it a row, and a line in docs/modules.md"
                )
                continue
            }
            for dependency in target.dependencies {
                if let reason = violation(of: module, named: target.name, importing: dependency) {
                    Issue.record("Package.swift: \(reason)")
                }
            }
        }
    }

    @Test("every import of the sources is a declared dependency that its module may have")
    func imports() throws {
        let tree = try SourceTree()
        let declared = Dictionary(uniqueKeysWithValues: tree.targets.map { ($0.name, Set($0.dependencies)) })
        for file in tree.files {
            guard let module = Architecture.modules[file.module] else {
                Issue.record("\(file.path): \(file.module) is no module of the architecture")
                continue
            }
            for (number, line) in file.lines.enumerated() {
                guard let name = Self.importedModule(line) else { continue }
                let place = "\(file.path):\(number + 1)"
                if let reason = violation(of: module, named: file.module, importing: name) {
                    Issue.record("\(place): \(reason)")
                } else if Architecture.toolchain.contains(name) {
                    continue
                } else {
                    #expect(declared[file.module]?.contains(name) ?? false, "\(place): \(name) is not in the manifest")
                }
            }
        }
    }

    @Test(
        "the rules can fail",
        arguments: [
            ("PhotoModel", "Replication"), ("Replication", "LibraryAPI"), ("LibraryAPI", "GRDB"),
            ("Capture", "CFFmpeg"),
            ("SyncEngine", "LibraryClient"), ("LibraryServer", "AgentStore"), ("MediaFormats", "Crypto"),
            ("LibraryAPI", "Foundation"),
        ]
    )
    func canary(module: String, imported: String) throws {
        let row = try #require(Architecture.modules[module])
        #expect(violation(of: row, named: module, importing: imported) != nil)
    }

    /// Why a module may not import another one; nil when it may.
    private func violation(of module: Architecture.Module, named name: String, importing imported: String) -> String? {
        if let owners = Architecture.confined[imported], !owners.contains(name) {
            return "\(imported) is confined to \(owners.sorted().joined(separator: ", ")); \(name) must not import it"
        }
        guard let other = Architecture.modules[imported] else {
            let isForeign = module.layer == .values && !Architecture.toolchainForValues.contains(imported)
            return isForeign ? "values import no package, but \(name) imports \(imported)" : nil
        }
        if module.sideways.contains(imported) { return nil }
        guard other.layer < module.layer else { return "the import of \(imported) by \(name) points up or sideways" }
        guard module.imports?.contains(imported) ?? true else { return "\(name) may not import \(imported)" }
        return nil
    }

    /// The module that a line imports, for `import X`, `package import X` and `import struct X.Y`.
    private static func importedModule(_ line: Substring) -> String? {
        guard line.mentions("import ") else { return nil }
        let pattern = /^(?:@\w+(?:\([^)]*\))? )*(?:public |package |internal |private )?import (?:\w+ )?(\w+)/
        return line.firstMatch(of: pattern).map { String($0.1) }
    }
}
