import AgentStore
import Authorization
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AgentService

/// What is remembered of a contact.
struct ContactExchangeTests {
    @Test("Why the library did not take the box for its device is forgotten once it does")
    func identityHold() throws {
        let root = Path("/tmp/tintype-contact-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: root.text) }
        let now = WallTime(millisecondsSince1970: 0)
        let store = try AgentStore(root: root, fileSystem: PosixFileSystem(), now: now)
        try store.setFact(.identityHold, to: HoldReason.expired)
        #expect(try store.fact(.identityHold) == HoldReason.expired)
        let answer = ContactResponse(
            time: now,
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: 1),
            continuity: .continued,
            acknowledged: 0,
            ticket: "next",
            grantVersion: 1,
            hasChanges: false
        )
        _ = try ContactExchange.keep(answer, in: store, monotonicNanoseconds: 0)
        #expect(try store.fact(.identityHold) == nil)
        #expect(try store.fact(.ticket) == "next")
    }

    @Test("The mark of another history's backups is not kept, also when the library names none")
    func backupWatermark() throws {
        let root = Path("/tmp/tintype-contact-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: root.text) }
        let now = WallTime(millisecondsSince1970: 0)
        let store = try AgentStore(root: root, fileSystem: PosixFileSystem(), now: now)
        let contacts: [(UInt128, Int64?, Int64?)] = [(1, nil, nil), (1, 9, 9), (2, nil, 0), (2, 3, 3), (3, 7, 7)]
        for (epoch, told, kept) in contacts {
            let answer = ContactResponse(
                time: now,
                libraryID: LibraryID(rawValue: 1),
                libraryEpoch: LibraryEpoch(rawValue: epoch),
                continuity: .continued,
                acknowledged: 0,
                ticket: nil,
                grantVersion: 1,
                hasChanges: false,
                backupWatermark: told.map { ChangeNumber(rawValue: $0) }
            )
            _ = try ContactExchange.keep(answer, in: store, monotonicNanoseconds: 0)
            #expect(try store.fact(.backupWatermark)?.rawValue == kept, "\(epoch), \(String(describing: told))")
        }
    }

    @Test("When a box was first told that it was revoked is remembered, for each revocation")
    func revocation() throws {
        let root = Path("/tmp/tintype-contact-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: root.text) }
        let early = WallTime(millisecondsSince1970: 5)
        let store = try AgentStore(root: root, fileSystem: PosixFileSystem(), now: early)
        try ContactExchange.keep(.expired, in: store)
        #expect(try store.fact(.identityHold) == .expired && store.fact(.revocation) == nil)
        try ContactExchange.keep(.revoked, in: store)
        #expect(try store.fact(.identityHold) == .revoked && store.fact(.revocation) != nil)
        try store.setFact(.revocation, to: early)
        try ContactExchange.keep(.revoked, in: store)
        #expect(try store.fact(.revocation) == early)
        try store.setFact(.identityHold, to: nil)
        try ContactExchange.keep(.revoked, in: store)
        #expect(try store.fact(.revocation) != early)
    }
}
