// Said, since the planted mutations build this without InternalImportsByDefault.
internal import Foundation

/// Makes programs for tests.
package enum ExecutableFile {
    /// Writes a script that can be run at once.
    ///
    /// Another process writes it: a child that a test beside this one starts would hold the file open for writing until its
    /// `exec`, and what is open for writing cannot be run (`ETXTBSY`).
    ///
    /// - Parameters:
    ///   - text: the script, with its first line.
    ///   - path: where.
    /// - Throws: what the system says.
    package static func write(_ text: String, to path: String) throws {
        let source = path + ".source"
        try Data(text.utf8).write(to: URL(filePath: source))
        let copied = try ChildProcess.run("install", ["-m", "755", source, path])
        guard copied.status == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
