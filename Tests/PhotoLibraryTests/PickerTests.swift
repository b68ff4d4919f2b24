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

    @Test("004.52: a cancelled session gives an empty result, and one that has ended is an error")
    func endings() async throws {
        for state in ["cancelled", "ended"] {
            let bench = try LibraryBench { request in Self.answer(request.method == "POST" ? "open" : state, 0) }
            let session = try await bench.library.picker.open(PickerConfiguration(purpose: "A badge"))
            if state == "cancelled" {
                let items = try await bench.library.picker.result(of: session, clock: InstantClock())
                #expect(items.isEmpty)
            } else {
                let error = await #expect(throws: PhotoLibraryError.self) {
                    try await bench.library.picker.result(of: session, clock: InstantClock())
                }
                #expect(error?.code == .pickerEnded)
            }
        }
    }

    @Test("004.37, 004.58, 004.59: a continuous choice is told at each change, and can be taken back and moved")
    func continuous() async throws {
        let polls = Mutex(0)
        let bodies = Mutex<[String]>([])
        let bench = try LibraryBench { request in
            if request.method == "POST" || request.method == "PATCH" {
                if case .bytes(let bytes) = request.body {
                    bodies.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                }
                return Self.answer("open", 0)
            }
            if request.target.hasSuffix("/items") {
                let last = polls.withLock(\.self)
                return .json(#"{"items":[{"id":"00000000-0000-0000-0000-00000000000\#(last)","isAvailable":true}]}"#)
            }
            let poll = polls.withLock { count in
                count += 1
                return count
            }
            // Nobody acts, then twice the same choice, then another one, then done.
            let revision = [0, 1, 1, 2, 2][min(poll, 5) - 1]
            let open = Self.session.replacing("STATE", with: poll < 5 ? "open" : "done").replacing("COUNT", with: "1")
            return .json(open.replacing(#""pollSeconds":1"#, with: #""pollSeconds":1,"revision":\#(revision)"#))
        }
        let picker = bench.library.picker
        var configuration = PickerConfiguration(purpose: "A badge")
        configuration.selectionBehavior = .continuousAndOrdered
        configuration.selectionLimit = 0
        configuration.disabledCapabilities = [.selectionActions, .search]
        configuration.representation = .compatible
        let session = try await picker.open(configuration)
        var told: [[UInt128]] = []
        try await picker.follow(session, clock: InstantClock()) { (items: [PhotoPicker.Item]) in
            told.append(items.map { $0.id.rawValue })
        }
        #expect(told == [[2], [4], [5]])
        let item = AssetID(rawValue: 2)
        let first: AssetID? = nil
        try await picker.deselect([item], of: session)
        try await picker.move(item, after: first, of: session)
        let sent = bodies.withLock { $0 }
        for part in [
            #""isContinuous":true"#, #""isOrdered":true"#, #""selectionLimit":0"#, #""encoding":"compatible""#,
            #""disabledCapabilities":["search","selectionActions"]"#,
        ] { #expect(sent[0].contains(part), "\(sent[0])") }
        #expect(sent[1].contains(#""deselected":["\#(item)"]"#) && sent[2].contains(#""id":"\#(item)""#), "\(sent)")
    }

    @Test("A picked item comes as bytes in memory, up to a limit; one that is gone is refused")
    func data() async throws {
        let item = #"{"id":"00000000-0000-0000-0000-000000000001","isAvailable":true,"contentType":"image/jpeg"}"#
        let gone = #"{"id":"00000000-0000-0000-0000-000000000002","isAvailable":false}"#
        let bench = try LibraryBench { request in
            if request.method == "POST" { return Self.answer("open", 2) }
            if request.target.hasSuffix("/items") { return .json(#"{"items":[\#(item),\#(gone)]}"#) }
            return TransportResponse(status: 200, body: LibraryBench.jpeg)
        }
        let picker = bench.library.picker
        let session = try await picker.open(PickerConfiguration(purpose: "A badge"))
        let items = try await picker.items(of: session)
        let told = Mutex<[Int64]>([])
        let count = LibraryBench.jpeg.count
        let bytes = try await picker.data(of: items[0], of: session, limit: count) { progress in
            told.withLock { $0.append(progress.completedBytes) }
        }
        #expect(bytes == Data(LibraryBench.jpeg) && told.withLock { $0 } == [Int64(count)])
        for (item, code) in [(items[0], PhotoLibraryError.Code.invalid), (items[1], .pickerEnded)] {
            let error = await #expect(throws: PhotoLibraryError.self) {
                try await picker.data(of: item, of: session, limit: count - 1)
            }
            #expect(error?.code == code)
        }
    }

    @Test("T109: pages of picked items that repeat, or never end, are refused", arguments: [true, false])
    func endlessPages(isRepeated: Bool) async throws {
        let pages = Mutex(0)
        let bench = try LibraryBench { request in
            guard request.target.contains("/items") else { return Self.answer("open", 0) }
            let page = pages.withLock { count in
                count += 1
                return count
            }
            let items = (0..<100).map { number in
                let id = AssetID(rawValue: UInt128(isRepeated ? number : page * 100 + number))
                return #"{"id":"\#(id)","isAvailable":true}"#
            }
            let next = AssetID(rawValue: UInt128(page))
            return .json(#"{"items":[\#(items.joined(separator: ","))],"next":"\#(next)"}"#)
        }
        let picker = bench.library.picker
        let session = try await picker.open(PickerConfiguration(purpose: "A badge"))
        let error = await #expect(throws: PhotoLibraryError.self) { try await picker.items(of: session) }
        #expect(error?.code == .library)
        #expect(pages.withLock(\.self) == (isRepeated ? 2 : 1 + APILimits.pickCount / 100))
    }
}
