import Glibc
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

extension ContentStoreConformance {
    /// What is promised of published bytes.
    static let publishing = [
        Promise(name: "what is published is there under its digest, once, for every process") { suite in
            let content = try await suite.open()
            var publications: [Publication] = []
            for (upload, bytes) in [(.a, [1, 2, 3]), (.b, [4]), (.c, [1, 2, 3])] as [(UploadID, [UInt8])] {
                publications.append(try await content.received(bytes, as: upload))
            }
            let places = try await content.placed(publications)
            // What was received stays until the rows are there: a crash before them loses nothing.
            try await content.discard([UploadID.a, .b, .c].map(\.description))
            #expect(try await content.receptions() == [])
            let other = try await suite.open()
            for (place, bytes) in zip(places, [[1, 2, 3], [4], [1, 2, 3]] as [[UInt8]]) {
                #expect(place.digest == ContentHasher.digest(bytes))
                #expect(try await other.bytes(at: place) == bytes)
                #expect(try await other.byteCount(place) == Int64(bytes.count))
            }
            #expect(try await other.visited() == Set(places))
            #expect(try await other.freeByteCount() ?? .max > 0)
            try await other.checkReadiness()
        },
        Promise(name: "bytes of another length, or none, are refused alone") { suite in
            let content = try await suite.open()
            let good = try await content.received([1], as: .a)
            let short = try await content.received([2, 3], as: .b)
            let wrong = Publication(short.source, address: short.address, byteCount: 3)
            let missing = Publication(
                .upload(UploadID.c.description),
                address: ContentAddress(ContentHasher.digest([9]), contentType: ""),
                byteCount: 1
            )
            let results = await content.publish([wrong, good, missing])
            #expect(throws: PersistenceError.self) { try results[0].get() }
            _ = try results[1].get()
            #expect(throws: PersistenceError.self) { try results[2].get() }
            #expect(try await content.byteCount(missing.address) == nil)
            await #expect(throws: PersistenceError.self) { _ = try await content.open(missing.address) }
        },
        Promise(name: "bytes are published again after a crash had published them and written no row") { suite in
            let publication = try await suite.open().received([1, 2, 3], as: .a)
            let first = try await suite.open().placed([publication])
            #expect(try await suite.open().placed([publication]) == first)
            #expect(try await suite.open().bytes(at: first[0]) == [1, 2, 3])
        },
        Promise(name: "bytes that a row says are there stay in their place") { suite in
            let content = try await suite.open()
            let place = try await content.save([1, 2, 3], as: .a)
            let again = try await content.received([1, 2, 3], as: .b)
            let known = Publication(
                again.source,
                address: place,
                announced: again.announced,
                byteCount: 3,
                isKnown: true
            )
            #expect(try await content.placed([known]) == [place])
            try await content.discard([UploadID.b.description])
            #expect(try await content.bytes(at: place) == [1, 2, 3])
        },
        Promise(name: "any part can be read, by a parser too, and another process gets exactly the bytes") { suite in
            let content = try await suite.open()
            let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let address = try await content.save(bytes, as: .a)
            let reader = try await content.open(address)
            #expect(reader.byteCount == 5000)
            #expect(try await reader.read(10, at: 100) == Array(bytes[100..<110]))
            #expect(try await reader.read(100, at: 4990) == Array(bytes[4990...]), "fewer only at the end")
            #expect(try await reader.read(10, at: 5000) == [])
            let parsed = try await reader.parsing { read in try read(3, 4000) + read(2, 17) }
            #expect(parsed == Array(bytes[4000..<4003] + bytes[17..<19]))
            #expect(try await content.lent(address) == bytes)
        },
        Promise(name: "quarantine takes out and gives back; deleting is for good") { suite in
            let content = try await suite.open()
            let address = try await content.save([5, 6], as: .a)
            let name = try await content.quarantine(address, isDamaged: false)
            #expect(try await content.byteCount(address) == nil)
            #expect(try await content.restoreIfWhole(address))
            #expect(try await content.byteCount(address) == 2)
            _ = try await content.quarantine(address, isDamaged: false)
            try await content.purge(name)
            try await content.purge(name)
            #expect(try await !content.restoreIfWhole(address))
        },
        Promise(name: "damaged bytes never take the place of whole ones in quarantine") { suite in
            let content = try await suite.open()
            let address = ContentAddress(ContentHasher.digest([5, 6]), contentType: "image/jpeg")
            let whole = try await content.save([5, 6], as: .a, for: address)
            let first = try await content.quarantine(whole, isDamaged: false)
            // A store believes who publishes: what is damaged is made by telling a wrong address.
            let damaged = try await content.save([9, 9], as: .b, for: address)
            let second = try await content.quarantine(damaged, isDamaged: true)
            #expect(first != second)
            #expect(try await content.restoreIfWhole(whole))
            #expect(try await content.bytes(at: whole) == [5, 6])
        },
    ]
}

extension ContentStore {
    /// What another process would read; lending may wait for a store, so on a thread that may.
    fileprivate func lent(_ address: ContentAddress) async throws -> [UInt8] {
        try await BlockingPool(width: 1).run { try self.lentBytes(address) }
    }

    private func lentBytes(_ address: ContentAddress) throws -> [UInt8] {
        switch try lend(address) {
        case .bytes(let bytes): return bytes
        case .descriptor(let descriptor):
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
            return Array(bytes.prefix(max(0, count)))
        }
    }
}
