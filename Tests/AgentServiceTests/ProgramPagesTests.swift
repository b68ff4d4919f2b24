import Foundation
import Host
import Testing

struct ProgramPagesTests {
    /// Bytes of files that are mapped into this process and in memory (proc_pid_status(5), `RssFile`).
    private func residentFileByteCount() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) << 10
    }

    @Test("A program lets go of what is mapped of its file, and goes on with what comes back")
    func release() throws {
        // Other tests touch other pages meanwhile.
        let hasShrunk = try (0..<20).contains { _ in
            let before = try residentFileByteCount()
            ProgramPages.release()
            return try residentFileByteCount() < before / 2
        }
        #expect(hasShrunk)
    }

    @Test("Releasing at an interval ends with its task")
    func interval() async {
        let releasing = Task { await ProgramPages.release(every: .seconds(86_400)) }
        releasing.cancel()
        await releasing.value
    }
}
