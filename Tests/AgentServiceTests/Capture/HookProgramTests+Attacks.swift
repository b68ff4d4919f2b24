import Foundation
import Persistence
import Testing

@testable import AgentCapture

extension HookProgramTests {
    @Test("T128: what a hook program started is killed with it when it hangs")
    func children() throws {
        let folder = try TemporaryFolder()
        let (gate, words) = ("\(folder.path)/gate", "\(folder.path)/words")
        try #require(unsafe mkfifo(gate, 0o600) == 0 && mkfifo(words, 0o600) == 0)
        // Neither opening here nor in the child waits for the other end.
        let opened = unsafe open(gate, O_RDWR | O_CLOEXEC)
        let heard = unsafe open(words, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { [opened, heard].forEach { close($0) } }
        try #require(opened >= 0 && heard >= 0)
        let script = "(echo there >&3; read go; echo alive >&3) < '\(gate)' 3> '\(words)' & wait"
        var buffer = [UInt8](repeating: 0, count: 64)
        var count = 0
        // A machine under load may take longer than a second to start the child.
        for seconds in [1, 8, 64] where count <= 0 {
            let status = try HookProgram.run("/bin/sh", ["-c", script], within: .seconds(seconds))
            #expect(status == 128 + SIGKILL)
            count = unsafe read(heard, &buffer, buffer.count)
        }
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "there\n")
        // A child that lives on says so now; a dead one has closed its end.
        let written = unsafe write(opened, "go\n", 3)
        try #require(written == 3)
        _ = fcntl(heard, F_SETFL, 0)
        let rest = unsafe read(heard, &buffer, buffer.count)
        #expect(rest == 0, "the child outlived its program")
    }

    @Test("T128: a hook program gets none of the agent's secrets, only the variables that docs/install.md lists")
    func environment() throws {
        let passed = [
            "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER",
            "XDG_RUNTIME_DIR",
        ]
        let own = Set(ProcessInfo.processInfo.environment.keys)
        let expected = own.filter { name in
            passed.contains(name) || ["LC_", "LIBCAMERA_", "GST_"].contains { name.hasPrefix($0) }
        }
        try #require(own != expected, "the tests' own environment has nothing to hide")
        let folder = try TemporaryFolder()
        let script = "cat /proc/$$/environ > '\(folder.path)/environment'"
        #expect(try HookProgram.run("/bin/sh", ["-c", script], within: .seconds(300)) == 0)
        let entries = try Data(contentsOf: URL(filePath: "\(folder.path)/environment")).split(separator: 0)
        let names = entries.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) }
        #expect(Set(names) == expected)
    }
}
