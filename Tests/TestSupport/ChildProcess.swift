package import Foundation
import Synchronization

/// Runs a program to its end and keeps what it says.
package struct ChildProcess {
    /// What the program left.
    package struct Outcome {
        /// Its exit status, or the signal's number where it was killed.
        package let status: Int32
        /// What it wrote to its standard output.
        package let output: Data
        /// What it wrote to its standard error, as text.
        package let errors: String

        /// The output as text.
        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Runs a program that is found by the search path, without a shell.
    ///
    /// - Parameters:
    ///   - name: the program.
    ///   - arguments: its arguments.
    /// - Returns: its status and output.
    /// - Throws: when it cannot be started, which is how a missing system package shows.
    package static func run(_ name: String, _ arguments: [String]) throws -> Outcome {
        // Files instead of pipes: no program can block on a full one.
        try withTemporaryDirectory { folder in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [name] + arguments
            let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
            for file in [output, errors] { try Data().write(to: file) }
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            process.standardInput = FileHandle.nullDevice
            try process.runAlone()
            process.waitUntilExit()
            return Outcome(
                status: process.terminationStatus,
                output: try Data(contentsOf: output),
                errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            )
        }
    }
}

extension Pipe {
    /// Makes a pipe for a child, of which no other child inherits an end.
    ///
    /// What is read to its end is read until the last child that can write to it has ended, and a server that is started at
    /// the same moment may live as long as the tests.
    package static func unshared() -> Pipe {
        Process.starting.withLock { _ in
            let pipe = Pipe()
            for file in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
            return pipe
        }
    }
}

extension Process {
    fileprivate static let starting = Mutex(())

    /// Starts the program while no other thread starts one.
    ///
    /// A child closes what was open when Foundation looked; what another thread opens a moment later it inherits. Among that
    /// is the socket by which Foundation learns that a program ended: held by a child that lives on, it never tells.
    ///
    /// A child also inherits which signals are blocked, and Dispatch blocks them on its threads: one started there could not
    /// be told to end.
    package func runAlone() throws {
        try Self.starting.withLock { _ in
            var none = sigset_t()
            var earlier = sigset_t()
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, &earlier)
            defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &earlier, nil) }
            try run()
        }
    }
}

/// Makes a folder for the time of a piece of work and removes it with everything in it.
///
/// - Parameter work: gets the folder.
/// - Returns: what the work returns.
/// - Throws: what the work throws, or that the folder cannot be made.
package func withTemporaryDirectory<Value>(_ work: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try work(folder)
}
