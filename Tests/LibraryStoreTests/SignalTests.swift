import LibraryAPI
import Testing

@testable import LibraryStore

/// What servers tell each other, as values.
struct SignalTests {
    private let upload = UploadID(rawValue: 0xAB)

    @Test("a notice tells each thing once, and is read as what was told")
    func notices() throws {
        var outbox = SignalOutbox()
        let none = outbox.next()
        #expect(none == nil)
        let told: [LibrarySignal] = [
            .changes, .upload(upload, turn: 2), .closure(.webSession(WebSessionID(rawValue: 1))), .jobs, .changes,
            .upload(upload, turn: 2), .upload(upload, turn: 3),
        ]
        for signal in told { outbox.add(signal) }
        let (first, second) = (outbox.next(), outbox.next())
        let notice = SignalNotice(try #require(first))
        #expect(second == nil)
        #expect(notice.asksForLook)
        #expect(notice.signals == [.upload(upload, turn: 2), .jobs, .upload(upload, turn: 3)])
        outbox.add(.jobs)
        let again = outbox.next()
        let later = SignalNotice(try #require(again))
        #expect(!later.asksForLook && later.signals == [.jobs], "what was told may be told again")
    }

    @Test("many uploads are told in several notices, each within PostgreSQL's limit, and no more than a fixed number")
    func limits() {
        var outbox = SignalOutbox()
        let count = SignalOutbox.maximumCount
        for number in 0..<count + 10 {
            outbox.add(.upload(UploadID(rawValue: UInt128.max - UInt128(number)), turn: .max))
        }
        var read = 0
        while let payload = outbox.next() {
            #expect(payload.utf8.count < 8000)
            read += SignalNotice(payload).signals.count
        }
        #expect(read == count)
    }

    @Test(
        "what no server of ours sends is skipped",
        arguments: [
            "", " ", "upload", "upload::", "upload:x:1", "upload:00000000-0000-0000-0000-0000000000ab:0",
            "upload:00000000-0000-0000-0000-0000000000ab:-1", "upload:00000000-0000-0000-0000-0000000000ab:1:1",
            "upload:00000000-0000-0000-0000-0000000000ab:9223372036854775808", "LOOK", "look;jobs", "\u{0}",
            String(repeating: "upload:", count: 1000),
        ]
    )
    func hostile(_ payload: String) {
        let notice = SignalNotice(payload)
        #expect(!notice.asksForLook && notice.signals.isEmpty)
        let mixed = SignalNotice("\(payload) jobs")
        #expect(mixed.signals == [.jobs], "the words beside it count")
    }

    @Test("of a long notice so many words are read and no more")
    func long() {
        let notice = SignalNotice(Array(repeating: "jobs", count: 5000).joined(separator: " "))
        #expect(notice.signals.count == SignalOutbox.noticeCount)
    }

    @Test(
        "closures are read from behind the last that was seen; after a failover to lower numbers there are none to read"
    )
    func positions() {
        let known = SignalPosition(change: 5, closure: 3)
        #expect(known.closures(to: SignalPosition(change: 5, closure: 3)) == nil)
        #expect(known.closures(to: SignalPosition(change: 9, closure: 6)) == 4...6)
        #expect(known.closures(to: SignalPosition(change: 9, closure: 1)) == nil)
        #expect(!known.hasChanged(to: SignalPosition(change: 5, closure: 9)))
        #expect(known.hasChanged(to: SignalPosition(change: 6, closure: 3)))
        #expect(known.hasChanged(to: SignalPosition(change: 4, closure: 3)), "lower numbers are news too")
    }
}
