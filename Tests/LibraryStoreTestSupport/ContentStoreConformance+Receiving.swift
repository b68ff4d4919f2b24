import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

extension ContentStoreConformance {
    /// What is promised of uploads.
    static let receiving = [
        Promise(name: "an upload goes on in another process where it was promised to be, whatever came behind that") {
            suite in
            let first = try await suite.open().reception(of: .a, for: [1, 2, 3, 4])
            try await first.append([1, 2, 3])
            #expect(try await first.keep() == 3)
            try await first.append([9, 9])
            let second = try await suite.open().reception(of: .a, for: [1, 2, 3, 4], durableByteCount: 3)
            try await second.append([4])
            #expect(second.byteCount == 4)
            #expect(try await second.finish(ContentHasher.digest([1, 2, 3, 4])))
            #expect(try await suite.open().receptions() == [UploadID.a.description])
        },
        Promise(name: "an upload that was promised less than is there goes on from the promise") { suite in
            // The row was not written after the bytes had become durable.
            let whole: [UInt8] = [1, 2, 3, 4, 6, 7]
            let first = try await suite.open().reception(of: .a, for: whole)
            for bytes in [[1, 2], [3, 4], [5]] as [[UInt8]] {
                try await first.append(bytes[...])
                _ = try await first.keep()
            }
            let second = try await suite.open().reception(of: .a, for: whole, durableByteCount: 4)
            try await second.append([6, 7])
            #expect(try await second.finish(ContentHasher.digest(whole)))
        },
        Promise(name: "what was taken back leaves nothing, and what comes in its place is hashed") { suite in
            let reception = try await suite.open().reception(of: .a, for: [1, 2, 3])
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
            let reception = try await suite.open().reception(of: .a, for: [1, 3])
            try await reception.append([1, 2])
            #expect(try await !reception.finish(ContentHasher.digest([1, 3])))
        },
        Promise(name: "an upload whose promised bytes are gone is damaged, and never begun anew") { suite in
            let content = try await suite.open()
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await content.reception(of: .a, for: [1, 2, 3, 4], durableByteCount: 3)
            }
            #expect(error?.code == .damaged)
        },
        Promise(name: "what was given up is gone, and giving up nothing is no error") { suite in
            let content = try await suite.open()
            let reception = try await content.reception(of: .a, for: [7, 8])
            try await reception.append([7])
            _ = try await reception.keep()
            #expect(try await content.receptions() == [UploadID.a.description])
            try await content.discard([UploadID.a.description, UploadID.c.description])
            try await content.discard([UploadID.a.description])
            #expect(try await content.receptions() == [])
        },
        Promise(name: "an upload of several parts goes on in any process, wherever it broke off") { suite in
            let whole = (0..<(20 << 20) + 5).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
            var durable = 0
            for end in [3 << 20, 8 << 20, (17 << 20) + 1] {
                let reception = try await suite.open()
                    .reception(of: .a, for: whole, durableByteCount: Int64(durable))
                while durable < end {
                    let next = min(end, durable + 1 << 20)
                    try await reception.append(whole[durable..<next])
                    durable = next
                }
                #expect(try await reception.keep() == Int64(end))
            }
            let content = try await suite.open()
            let last = try await content.reception(of: .a, for: whole, durableByteCount: Int64(durable))
            try await last.append(whole[durable...])
            #expect(try await last.finish(ContentHasher.digest(whole)))
            let address = ContentAddress(ContentHasher.digest(whole), contentType: "image/png")
            let publication = Publication(
                .upload(UploadID.a.description),
                address: address,
                byteCount: Int64(whole.count)
            )
            let place = try await content.placed([publication])[0]
            #expect(try await content.open(place).digest() == address.digest)
            let middle = try await content.open(place).read(100, at: 8 << 20 - 50)
            #expect(middle == Array(whole[(8 << 20 - 50)..<(8 << 20 + 50)]))
        },
        Promise(name: "an empty content is received and published like any other") { suite in
            let content = try await suite.open()
            let address = try await content.save([], as: .a)
            #expect(try await content.bytes(at: address) == [])
            #expect(try await content.byteCount(address) == 0)
        },
    ]
}
