import PostgreSQLTestSupport
import Testing

@testable import PostgreSQL

/// Notices between sessions of one database.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct NoticeTests {
    @Test("a notice is heard by others on its channel, in order, and not by whoever sent it or listens elsewhere")
    func heard() async throws {
        try await TestServer.withPool { pool in
            let channel = pool.settings.schema
            let settings = try #require(pool.settings.forNotices)
            let (sender, hearer) = try (
                NoticeListener(settings, channel: channel), NoticeListener(settings, channel: channel)
            )
            let elsewhere = try NoticeListener(settings, channel: "other_\(channel)")
            try await elsewhere.notify("not for us")
            for number in 0..<3 { try await sender.notify("number \(number) \u{1F4F7} 'quoted'") }
            var heard: [String] = []
            for await notice in hearer.notices.prefix(3) { heard.append(notice) }
            #expect(heard == (0..<3).map { "number \($0) \u{1F4F7} 'quoted'" })
            try await hearer.notify("answer")
            // Its own notices came before this one, and were left out.
            for await notice in sender.notices.prefix(1) { #expect(notice == "answer") }
            for listener in [sender, hearer, elsewhere] { listener.close() }
            for await notice in elsewhere.notices { Issue.record("heard \(notice)") }
        }
    }

    @Test("notices that arrive with the answer to one's own are heard at once")
    func together() async throws {
        try await TestServer.withPool { pool in
            let settings = try #require(pool.settings.forNotices)
            let listeners = try (0..<2).map { _ in try NoticeListener(settings, channel: pool.settings.schema) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for listener in listeners {
                    group.addTask { for number in 0..<200 { try await listener.notify("\(number)") } }
                    group.addTask {
                        var heard: [String] = []
                        for await notice in listener.notices.prefix(200) { heard.append(notice) }
                        #expect(heard == (0..<200).map(String.init))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a connection that ends, ends its notices; sending over it fails")
    func ended() async throws {
        try await TestServer.withPool { pool in
            let settings = try #require(pool.settings.forNotices)
            let listener = try NoticeListener(settings, channel: pool.settings.schema)
            try await pool.endListeners(on: pool.settings.schema)
            for await notice in listener.notices { Issue.record("heard \(notice)") }
            await #expect { try await listener.notify("gone") } throws: { code($0) == .unavailable }
        }
    }

    @Test("a channel's name may be as long as a schema's with a prefix; none is heard where no address is set")
    func names() async throws {
        try await TestServer.withPool { pool in
            let name = "tintype_" + String(repeating: "s", count: 63)
            let settings = try #require(pool.settings.forNotices)
            let (sender, hearer) = try (
                NoticeListener(settings, channel: name), NoticeListener(settings, channel: name)
            )
            try await sender.notify("long")
            for await notice in hearer.notices.prefix(1) { #expect(notice == "long") }
            var without = pool.settings
            without.noticeAddress = nil
            #expect(without.forNotices == nil)
        }
    }
}
