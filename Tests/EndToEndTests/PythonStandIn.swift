import Foundation
import TestSupport
import Testing

/// A little server in Python beside the built programs, which prints a line once it listens.
final class PythonStandIn {
    private let process = Process()
    private let output = Pipe()

    /// Starts a program, which ends with this object.
    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program] + arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.runAlone()
    }

    deinit { end() }

    /// Waits for the next line that it prints.
    func line() throws -> String {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            try #require(!byte.isEmpty, "the stand-in ended")
            line += byte
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Ends it; what it printed that was not read.
    func stop() -> String {
        end()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    private func end() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
