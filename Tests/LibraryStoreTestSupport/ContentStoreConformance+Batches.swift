import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

extension ContentStoreConformance {
    /// What is promised of batches.
    static let batches = [
        Promise(name: "what a batch holds is there at once, and what somebody wants of it stays when it is settled") {
            suite in
            let content = try await suite.open()
            let (batch, publications) = try await content.receivedBatch([[1, 2, 3], [4], []])
            _ = try await content.placed(publications)
            for (publication, bytes) in zip(publications, [[1, 2, 3], [4], []] as [[UInt8]]) {
                #expect(try await content.bytes(at: publication.address) == bytes)
                #expect(try await content.byteCount(publication.address) == Int64(bytes.count))
                let part = try await content.open(publication.address).read(2, at: 1)
                #expect(part == Array(bytes.dropFirst().prefix(2)))
            }
            #expect(try await content.settle { _ in [] } == 0, "one that has not ended is not settled")
            #expect(try await content.byteCount(publications[2].address) == 0)
            batch.end()
            let wanted = Set(publications.prefix(2).map(\.address))
            _ = try await content.settle { $0.isEmpty ? [] : Set(wanted.map(\.digest)) }
            #expect(content.unsettledByteCount == 0)
            #expect(try await content.visited().isSuperset(of: wanted))
            #expect(try await suite.open().bytes(at: publications[0].address) == [1, 2, 3])
        },
        Promise(name: "a content of a batch that is not the announced one is told apart, and the others are not") {
            suite in
            let batch = try await suite.open().receiveBatch(UploadID.b.description)
            for (announced, sent) in [([1, 2], [1, 2]), ([3, 4], [3, 5]), ([6, 7], [6])] as [([UInt8], [UInt8])] {
                let address = ContentAddress(ContentHasher.digest(announced), contentType: "image/png")
                let begin = BatchStep.begin(address, byteCount: Int64(announced.count))
                try await batch.take([begin] + sent.map { .bytes([$0]) } + [.end])
            }
            #expect(try await batch.finish().map(\.isWhole) == [true, false, false])
        },
        Promise(name: "a batch that is given up leaves nothing") { suite in
            let content = try await suite.open()
            let batch = try await content.receiveBatch(UploadID.b.description)
            let address = ContentAddress(ContentHasher.digest([1]), contentType: "image/png")
            try await batch.take([.begin(address, byteCount: 1), .bytes([1])])
            try await batch.discard()
            let found = try await suite.open().recover()
            #expect(found.contents == 0 && found.dropped == 0)
            #expect(try await content.visited() == [])
        },
        Promise(name: "what another process had made durable in a batch is there after a restart") { suite in
            let first = try await suite.open()
            let (batch, publications) = try await first.receivedBatch([[1, 2, 3], [4]])
            _ = try await first.placed(publications)
            batch.end()
            let second = try await suite.open()
            _ = try await second.recover()
            #expect(try await second.bytes(at: publications[0].address) == [1, 2, 3])
            _ = try await second.settle { Set($0) }
            #expect(try await second.visited() == Set(publications.map(\.address)))
        },
        Promise(name: "what a batch brought goes to quarantine like anything else") { suite in
            let content = try await suite.open()
            let (_, publications) = try await content.receivedBatch([[8, 9]])
            _ = try await content.placed(publications)
            let address = publications[0].address
            _ = try await content.quarantine(address, isDamaged: false)
            #expect(try await content.byteCount(address) == nil)
            #expect(try await content.restoreIfWhole(address))
            #expect(try await content.bytes(at: address) == [8, 9])
        },
    ]
}
