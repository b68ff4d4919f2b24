import LibraryStore
import Persistence
import PhotoModel
import Testing

extension ContentStoreConformance {
    /// What is promised of uploads.
    static let receiving = [
        Promise(name: "an upload goes on in another process where it was promised to be, whatever came behind that") {
            suite in
            let first = try await suite.open().receive("u", durableByteCount: 0)
            try await first.append([1, 2, 3])
            #expect(try await first.keep() == 3)
            try await first.append([9, 9])
            let second = try await suite.open().receive("u", durableByteCount: 3)
            try await second.append([4])
            #expect(second.byteCount == 4)
            #expect(try await second.finish(ContentHasher.digest([1, 2, 3, 4])))
            #expect(try await suite.open().receptions() == ["u"])
        },
        Promise(name: "an upload that was promised less than is there goes on from the promise") { suite in
            // The row was not written after the bytes had become durable.
            let first = try await suite.open().receive("u", durableByteCount: 0)
            for bytes in [[1, 2], [3, 4], [5]] as [[UInt8]] {
                try await first.append(bytes[...])
                _ = try await first.keep()
            }
            let second = try await suite.open().receive("u", durableByteCount: 4)
            try await second.append([6, 7])
            #expect(try await second.finish(ContentHasher.digest([1, 2, 3, 4, 6, 7])))
        },
        Promise(name: "what was taken back leaves nothing, and what comes in its place is hashed") { suite in
            let reception = try await suite.open().receive("u", durableByteCount: 0)
            try await reception.append([1, 2])
            #expect(try await reception.keep() == 2)
            try await reception.append([9, 9, 9])
            try await reception.revert()
            #expect(reception.byteCount == 2 && reception.digest == ContentHasher.digest([1, 2]))
            #expect(try await reception.keep() == 2)
            try await reception.append([3])
            #expect(try await reception.finish(ContentHasher.digest([1, 2, 3])))
        },
        Promise(name: "bytes that are not the announced ones are told apart") { suite in
            let reception = try await suite.open().receive("u", durableByteCount: 0)
            try await reception.append([1, 2])
            #expect(try await !reception.finish(ContentHasher.digest([1, 3])))
        },
        Promise(name: "an upload whose promised bytes are gone is damaged, and never begun anew") { suite in
            let content = try await suite.open()
            await #expect(throws: PersistenceError.self) { _ = try await content.receive("u", durableByteCount: 3) }
            do {
                _ = try await content.receive("u", durableByteCount: 3)
            } catch let error as PersistenceError {
                #expect(error.code == .damaged)
            }
        },
        Promise(name: "what was given up is gone, and giving up nothing is no error") { suite in
            let content = try await suite.open()
            let reception = try await content.receive("u", durableByteCount: 0)
            try await reception.append([7])
            _ = try await reception.keep()
            #expect(try await content.receptions() == ["u"])
            try await content.discard(["u", "never"])
            try await content.discard(["u"])
            #expect(try await content.receptions() == [])
        },
        Promise(name: "an empty content is received and published like any other") { suite in
            let content = try await suite.open()
            let address = try await content.save([], as: "u")
            #expect(try await content.bytes(at: address) == [])
            #expect(try await content.byteCount(address) == 0)
        },
    ]
}
