import Foundation
import LibraryLoad
import Testing

struct ProtocolFuzzTests {
    @Test("made-up requests of two lanes: no error of the server's own, and nobody is told what it may not see")
    func slice() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = Bundle.main.bundleURL.appending(path: "tintype-server")
        let server = try ServerProgram(program, library: folder, settings: ProtocolFuzz.settings)
        try server.start()
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let fuzz = try ProtocolFuzz(at: server, corpus: tests.appending(path: "ProtocolCorpus"), seed: 5, lanes: 2)
        let outcome = try await fuzz.run(count: 600, until: .now.advanced(by: .seconds(300)))
        #expect(outcome.violations == [])
        for what in ProtocolFuzz.Reached.allCases {
            #expect(outcome.reached[what, default: 0] > 0, "no \(what.rawValue)")
        }
    }
}
