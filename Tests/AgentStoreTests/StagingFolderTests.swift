import AgentStore
import LibraryAPI
import Persistence
import PhotoModel
import Testing

/// Files that wait in the store's spool until it is known which assets they make.
struct StagingFolderTests {
    private let real = PosixFileSystem()

    /// A draft whose photo was staged from a file of these bytes.
    private func draft(
        _ number: Int,
        _ bytes: [UInt8],
        in staging: StagingFolder,
        at source: Path,
        by transfer: StagingFolder.Transfer = .copy,
        from files: any FileSystem
    ) throws -> CaptureDraft {
        if try real.status(source) == nil { try real.writeAtomically(source, bytes) }
        var draft = Draft.photo(number)
        draft.resources[0].content = .staged(try staging.stage(source, by: transfer, from: files))
        return draft
    }

    @Test("A staged file has the digest of its bytes; the asset keeps it when the folder goes")
    func staged() throws {
        let folder = StoreFolder()
        let store = try folder.open()
        for (number, transfer) in [StagingFolder.Transfer.copy, .link, .move].enumerated() {
            let source = folder.path.appending("source-\(number)")
            let bytes = [UInt8](repeating: UInt8(number), count: 3000)
            let entry = try {
                let staging = store.makeStagingFolder()
                let draft = try draft(number, bytes, in: staging, at: source, by: transfer, from: real)
                return try store.add(draft, now: Draft.start)
            }()
            #expect(entry.manifest.resources.map(\.digest) == [ContentHasher.digest(bytes)])
            #expect(try store.damage(of: entry) == nil)
            #expect(try (real.status(source) == nil) == (transfer == .move))
            #expect(try real.list(store.spool).isEmpty)
        }
    }

    @Test("Room: what is staged counts for the queue's limit, and not twice for the disk's")
    func room() throws {
        let folder = StoreFolder()
        let files = FaultyFileSystem(capacity: 20_000)
        let store = try folder.open(files)
        let outside = StoreFolder()
        try real.createDirectory(outside.path)
        let staging = store.makeStagingFolder()
        let source = outside.path.appending("source")
        let draft = try draft(1, [UInt8](repeating: 1, count: 15_000), in: staging, at: source, from: real)
        #expect(throws: AgentStoreError.self) {
            try store.add(draft, limits: SpaceLimits(maximumByteCount: 14_999, reserveByteCount: 0), now: Draft.start)
        }
        #expect(try store.hasRoom(for: 4000, SpaceLimits(reserveByteCount: 0)))
        #expect(try !store.hasRoom(for: 6000, SpaceLimits(reserveByteCount: 0)))
        try store.add(draft, limits: SpaceLimits(reserveByteCount: 3000), now: Draft.start)
        #expect(try store.entries().count == 1)
    }

    @Test("What a process left that is gone is removed by the next opening, always; another's folder stays")
    func abandoned() throws {
        let folder = StoreFolder()
        let abandoned = folder.path.appending("spool").appending("staging-1")
        var held: StagingFolder?
        do {
            let store = try folder.open()
            try store.settle()
            try real.createDirectory(abandoned)
            try real.writeAtomically(abandoned.appending("1"), [1])
            let staging = store.makeStagingFolder()
            try real.writeAtomically(folder.path.appending("source"), [1, 2])
            _ = try staging.stage(folder.path.appending("source"), from: real)
            held = staging
        }
        let store = try folder.open()
        #expect(store.recovery.removed == ["staging-1"])
        #expect(try real.list(store.spool).count == 1)
        held = nil
        #expect(held == nil)
        #expect(try real.list(store.spool).isEmpty)
    }

    @Test(
        "Promise 1: whatever call fails while staged files are taken in, a reported asset is whole and none is by half",
        arguments: FaultyFileSystem.Fault.allCases
    )
    func faults(fault: FaultyFileSystem.Fault) throws {
        var isThrough = false
        for call in 1...500 where !isThrough {
            let folder = StoreFolder()
            let sources = (1...2).map { folder.path.appending("source-\($0)") }
            var isReported = false
            do {
                let files = FaultyFileSystem()
                let store = try folder.open(files)
                for (source, bytes) in zip(sources, [[1, 2, 3], [4, 5]] as [[UInt8]]) {
                    try real.writeAtomically(source, bytes)
                }
                files.fail(call, with: fault)
                do {
                    let staging = store.makeStagingFolder()
                    let drafts = [
                        try draft(1, [1, 2, 3], in: staging, at: sources[0], from: files),
                        try draft(2, [4, 5], in: staging, at: sources[1], by: .move, from: files),
                    ]
                    try store.add(drafts, now: Draft.start) { _ in }
                    isReported = true
                } catch {
                    isReported = false
                }
                isThrough = files.calls < call
            }
            for _ in 0..<2 {
                let store = try folder.open()
                let entries = try store.entries()
                if isReported { #expect(entries.count == 2, "call \(call)") }
                for entry in entries { #expect(try store.damage(of: entry) == nil, "call \(call)") }
                let isMovedHere = entries.contains { $0.manifest.resources[0].byteCount == 2 }
                #expect(try isMovedHere || real.readAll(sources[1]) == [4, 5], "call \(call)")
                #expect(try real.list(store.spool).isEmpty, "the spool leaks after call \(call)")
            }
        }
        #expect(isThrough)
    }
}
