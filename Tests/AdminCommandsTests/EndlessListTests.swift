import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import Synchronization
import Testing

@testable import AdminCommands

/// Lists that lead back to a page that was read.
struct EndlessListTests {
    /// A library that gives two pages in turn.
    private final class Circle: Transport {
        private let pages: [[UInt8]]
        private let count = Mutex(0)

        init<Page: Encodable>(_ pages: Page...) throws {
            self.pages = try pages.map { Array(try JSONEncoder().encode($0)) }
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return TransportResponse(
                status: 200,
                fields: [("Content-Type", "application/json")],
                body: pages[number % pages.count]
            )
        }
    }

    @Test("T115: lists of devices, albums and assets, and an audit, that lead in a circle are not read forever")
    func circles() async throws {
        let devices = try Circle(
            DevicePage(devices: [], next: DeviceID(rawValue: 1)),
            DevicePage(devices: [], next: DeviceID(rawValue: 2))
        )
        let albums = try Circle(
            AlbumPage(albums: [], next: ListCursor(text: "a")),
            AlbumPage(albums: [], next: ListCursor(text: "b"))
        )
        let assets = try Circle(
            AssetPage(assets: [], next: ListCursor(text: "a")),
            AssetPage(assets: [], next: ListCursor(text: "b"))
        )
        let audit = try Circle(AuditPage(entries: [], next: 1), AuditPage(entries: [], next: 2))
        let first = await #expect(throws: LibraryClientError.self) { _ = try await LibraryClient(devices).devices() }
        let second = await #expect(throws: LibraryClientError.self) { _ = try await LibraryClient(albums).albums() }
        let third = await #expect(throws: LibraryClientError.self) {
            try await LibraryClient(assets).pages(of: AssetQuery(limit: 1, cursor: nil)) { _ in }
        }
        let fourth = await #expect(throws: LibraryClientError.self) {
            try await LibraryClient(audit).audit(of: nil) { _ in }
        }
        for error in [first, second, third, fourth] { #expect(error?.code == .malformedAnswer) }
    }
}
