import Foundation
import LibraryLoad
import TestSupport
import Testing

struct KillTests {
    @Test("Promises 2, 3, 5, 6: a server killed at any stage of saving keeps what it promised, once and whole")
    func kill() async throws {
        let kills = Int(environmentNumber("TINTYPE_KILL_ROUNDS") ?? 20)
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let server = Bundle.main.bundleURL.appending(path: "tintype-server")
        var campaign = KillCampaign(server, folder: folder, seed: UInt64.random(in: .min ... .max))
        let summary = try await campaign.run(kills: kills)
        #expect(summary.violations == [])
        #expect(summary.receiptCount > kills)
    }
}
