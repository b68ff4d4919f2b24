package import LibraryStore
import Persistence
import PhotoModel
import Testing

/// The contract of the content port: every implementation passes each of these, over new and empty stores.
package struct ContentStoreConformance: Sendable {
    /// One promise of the port.
    package struct Promise: Sendable, CustomTestStringConvertible {
        /// What is promised.
        package let name: String
        /// Holds a store to it.
        package let check: @Sendable (ContentStoreConformance) throws -> Void

        /// The promise.
        package var testDescription: String { name }
    }

    let make: @Sendable () throws -> any ContentStore

    /// A suite over what a factory makes: new, empty stores.
    package init(_ make: @escaping @Sendable () throws -> any ContentStore) { self.make = make }

    /// Every promise.
    package static let promises = [
        Promise(name: "what is published is there under its digest, once, and staging is empty") { suite in
            let content = try suite.make()
            let publications = [
                try content.stage([1, 2, 3], as: "a"), try content.stage([4], as: "b"),
                try content.stage([1, 2, 3], as: "c"),
            ]
            for result in content.publish(publications) { try result.get() }
            // What is staged stays until the rows are there: a crash before them loses nothing.
            for publication in publications { try content.discard(publication.stagedName) }
            #expect(try content.stagedNames() == [])
            for (publication, bytes) in zip(publications, [[1, 2, 3], [4], [1, 2, 3]] as [[UInt8]]) {
                #expect(try content.open(publication.address).read(10, at: 0) == bytes)
                #expect(try content.measure(publication.address)?.digest == publication.address.digest)
                #expect(try content.byteCount(publication.address) == Int64(bytes.count))
            }
            #expect(try content.visited() == Set(publications.map(\.address)))
            #expect(try content.freeByteCount() > 0)
        },
        Promise(name: "staged bytes of another length, or none, are refused alone") { suite in
            let content = try suite.make()
            let good = try content.stage([1], as: "a")
            let short = try content.stage([2, 3], as: "b")
            let wrong = Publication(stagedName: "b", address: short.address, byteCount: 3, isKnown: false)
            let missing = Publication(
                stagedName: "nothing",
                address: ContentAddress(ContentHasher.digest([9]), contentType: ""),
                byteCount: 1,
                isKnown: false
            )
            let results = content.publish([wrong, good, missing])
            #expect(throws: PersistenceError.self) { try results[0].get() }
            try results[1].get()
            #expect(throws: PersistenceError.self) { try results[2].get() }
            #expect(try content.byteCount(missing.address) == nil)
        },
        Promise(name: "an upload goes on where it was promised to be, whatever came behind that") { suite in
            let content = try suite.make()
            let first = try content.stage("u", durableByteCount: 0)
            try first.append([1, 2, 3])
            #expect(try first.synchronize() == 3)
            try first.append([9, 9])
            try first.close()
            let second = try content.stage("u", durableByteCount: 3)
            try second.append([4])
            #expect(second.byteCount == 4)
            #expect(second.digest == ContentHasher.digest([1, 2, 3, 4]))
            try second.close()
            #expect(try content.stagedNames() == ["u"])
        },
        Promise(name: "quarantine takes out and gives back; purging and discarding are for good") { suite in
            let content = try suite.make()
            let publication = try content.stage([5, 6], as: "a")
            for result in content.publish([publication]) { try result.get() }
            try content.discard("a")
            let name = try content.quarantine(publication.address, isDamaged: false)
            #expect(try content.byteCount(publication.address) == nil)
            #expect(try content.restoreIfWhole(publication.address))
            #expect(try content.byteCount(publication.address) == 2)
            _ = try content.quarantine(publication.address, isDamaged: false)
            try content.purge(name)
            try content.purge(name)
            #expect(try !content.restoreIfWhole(publication.address))
            _ = try content.stage([7], as: "b")
            try content.discard("b")
            try content.discard("b")
            #expect(try content.stagedNames() == [])
        },
        Promise(name: "damaged bytes never take the place of whole ones in quarantine") { suite in
            let content = try suite.make()
            var names: [String] = []
            for isDamaged in [false, true] {
                // A store believes who stages: what is damaged is made by telling a wrong address.
                _ = try content.stage(isDamaged ? [9, 9] : [5, 6], as: "a")
                let address = ContentAddress(ContentHasher.digest([5, 6]), contentType: "image/jpeg")
                let publication = Publication(stagedName: "a", address: address, byteCount: 2, isKnown: false)
                for result in content.publish([publication]) { try result.get() }
                try content.discard("a")
                names.append(try content.quarantine(address, isDamaged: isDamaged))
                if isDamaged { #expect(try content.restoreIfWhole(address)) }
            }
            #expect(Set(names).count == 2)
        },
        Promise(name: "what a journal holds is there at once, becomes a plain file when settled, and nothing else does")
        {
            suite in
            let content = try suite.make()
            let (journal, records) = try content.journal([[1, 2, 3], [4], []])
            for result in content.publish(records.map { Publication($0, of: journal) }) { try result.get() }
            for (record, bytes) in zip(records, [[1, 2, 3], [4], []] as [[UInt8]]) {
                #expect(try content.open(record.address).read(10, at: 0) == bytes)
                #expect(try content.byteCount(record.address) == Int64(bytes.count))
                #expect(try content.measure(record.address)?.digest == record.address.digest)
            }
            #expect(try content.visited() == [])
            #expect(try content.settle([journal: []]) == 0, "one that is open is not settled")
            content.closeJournal(journal)
            #expect(content.journaledDigests()[journal]?.count == 3)
            let wanted = Set(records.prefix(2).map(\.address.digest))
            #expect(try content.settle([journal: wanted]) == 2)
            #expect(try content.visited() == Set(records.prefix(2).map(\.address)))
            #expect(try content.open(records[0].address).read(10, at: 1) == [2, 3])
            #expect(try content.byteCount(records[2].address) == nil, "nobody wanted it")
            #expect(content.journaledByteCount == 0)
        },
        Promise(name: "what lies in a journal goes to quarantine like anything else") { suite in
            let content = try suite.make()
            let (journal, records) = try content.journal([[8, 9]])
            for result in content.publish([Publication(records[0], of: journal)]) { try result.get() }
            _ = try content.quarantine(records[0].address, isDamaged: false)
            #expect(try content.byteCount(records[0].address) == nil)
            #expect(try content.restoreIfWhole(records[0].address))
            #expect(try content.open(records[0].address).read(2, at: 0) == [8, 9])
        },
    ]
}

extension ContentStore {
    /// Durable bytes in staging, to be published.
    fileprivate func stage(_ bytes: [UInt8], as name: String) throws -> Publication {
        let file = try stage(name, durableByteCount: 0)
        try file.append(bytes[...])
        try file.synchronize()
        try file.close()
        return Publication(
            stagedName: name,
            address: ContentAddress(ContentHasher.digest(bytes), contentType: "image/png"),
            byteCount: Int64(bytes.count),
            isKnown: false
        )
    }

    /// A sealed journal with these contents.
    package func journal(_ contents: [[UInt8]]) throws -> (name: String, records: [ContentJournal.Record]) {
        let journal = try beginJournal("j")
        for bytes in contents {
            let address = ContentAddress(ContentHasher.digest(bytes), contentType: "image/png")
            try journal.take([.begin(address, byteCount: Int64(bytes.count)), .bytes(bytes), .end])
        }
        let ended = try journal.finish()
        #expect(!ended.contains { !$0.isWhole })
        return (journal.name, ended.map(\.record))
    }

    /// The plain files that are there.
    fileprivate func visited() throws -> Set<ContentAddress> {
        var addresses: Set<ContentAddress> = []
        try visit { address, _ in if let address { addresses.insert(address) } }
        return addresses
    }
}
