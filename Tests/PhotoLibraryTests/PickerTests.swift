import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
import Testing

struct PickerTests {
    private static let session = #"""
        {"id":"00000000-0000-0000-0000-000000000007","state":"STATE","code":"BCDF-GHJK","expires":"2030-01-01T00:00:00Z",
        "pollSeconds":1,"count":COUNT}
        """#

    private static func answer(_ state: String, _ count: Int) -> TransportResponse {
        .json(
            session.replacing("STATE", with: state).replacing("COUNT", with: "\(count)")
        )
    }

    /// A clock on which waiting takes no time.
    private struct InstantClock: Clock {
        typealias Instant = ContinuousClock.Instant
        var now: Instant { ContinuousClock.now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws { try Task.checkCancellation() }
    }

    @Test("004.18: waiting tells how many are chosen, outlives lost answers, and gives the items in pages")
    func waits() async throws {
        let polls = Mutex(0)
        let bench = try LibraryBench { request throws(TransportError) in
            if request.method == "POST" { return Self.answer("open", 0) }
            if request.target.contains("/items?after=") {
                return .json(#"{"items":[{"id":"00000000-0000-0000-0000-000000000002","isAvailable":false}]}"#)
            }
            if request.target.hasSuffix("/items") {
                return .json(
                    #"""
                    {"items":[{"id":"00000000-0000-0000-0000-000000000001","isAvailable":true}],
                    "next":"00000000-0000-0000-0000-000000000001"}
                    """#
                )
            }
            let poll = polls.withLock { count in
                count += 1
                return count
            }
            if poll == 1 { throw TransportError(.timedOut, "lost") }
            return poll == 2 ? Self.answer("open", 2) : Self.answer("done", 2)
        }
        let picker = bench.library.picker
        let session = try await picker.open(PickerConfiguration(purpose: "A badge"))
        let counts = Mutex<[Int]>([])
        let items = try await picker.result(of: session, clock: InstantClock()) { count in
            counts.withLock { $0.append(count) }
        }
        #expect(items.map(\.id.rawValue) == [1, 2])
        #expect(counts.withLock { $0 } == [0, 0, 2])
        let gone = await #expect(throws: PhotoLibraryError.self) {
            try await picker.download(items[1], of: session, to: bench.folder)
        }
        #expect(gone?.code == .pickerEnded)
    }

    @Test("A cancelled session and one that has ended are two errors", arguments: ["cancelled", "ended"])
    func endings(_ state: String) async throws {
        let bench = try LibraryBench { request in Self.answer(request.method == "POST" ? "open" : state, 0) }
        let session = try await bench.library.picker.open(PickerConfiguration(purpose: "A badge"))
        let error = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.picker.result(of: session, clock: InstantClock())
        }
        #expect(error?.code == (state == "cancelled" ? .cancelled : .pickerEnded))
    }
}
