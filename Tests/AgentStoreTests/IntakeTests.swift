import AgentStore
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

/// Files that wait in the store's spool until they are an asset of the queue.
struct IntakeTests {
    private let real = PosixFileSystem()

    /// A draft whose photo comes from a file of these bytes.
    private func draft(
        _ number: Int,
        _ bytes: [UInt8],
        at source: Path,
        by transfer: Intake.Transfer = .copy
    ) throws -> Draft {
        if try real.status(source) == nil { try real.writeAtomically(source, bytes) }
        var draft = Draft.photo(number)
        draft.resources[0].content = .file(source, transfer)
        return draft
    }

    @Test("A staged file has the digest of its bytes; the asset keeps it when the folder goes")
    func staged() throws {
        let folder = StoreFolder()
        let store = try folder.open()
        for (number, transfer) in [Intake.Transfer.copy, .link, .move, .moveOrCopy].enumerated() {
            let source = folder.path.appending("source-\(number)")
            let bytes = [UInt8](repeating: UInt8(number), count: 3000)
            let entry = try store.add(try draft(number, bytes, at: source, by: transfer), now: Draft.start)
            #expect(entry.manifest.resources.map(\.digest) == [ContentHasher.digest(bytes)])
            #expect(try store.damage(of: entry) == nil)
            #expect(try (real.status(source) == nil) == (transfer == .move || transfer == .moveOrCopy))
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
        let staged = try store.staged(
            try draft(1, [UInt8](repeating: 1, count: 15_000), at: outside.path.appending("source"))
        )
        #expect(throws: AgentStoreError.self) {
            try store.add(staged, limits: SpaceLimits(maximumByteCount: 14_999, reserveByteCount: 0), now: Draft.start)
        }
        #expect(try store.hasRoom(for: 4000, SpaceLimits(reserveByteCount: 0)))
        #expect(try !store.hasRoom(for: 6000, SpaceLimits(reserveByteCount: 0)))
        try store.add(staged, limits: SpaceLimits(reserveByteCount: 3000), now: Draft.start)
        #expect(try store.entries().count == 1)
    }

    @Test("What a process left that is gone is removed by the next opening, always; another's folder stays")
    func abandoned() throws {
        let folder = StoreFolder()
        let abandoned = folder.path.appending("spool").appending("staging-1")
        var held: CaptureDraft?
        do {
            let store = try folder.open()
            try store.settle()
            try real.createDirectory(abandoned)
            try real.writeAtomically(abandoned.appending("1"), [1])
            held = try store.staged(Draft.photo(1))
        }
        let store = try folder.open()
        #expect(store.recovery.removed == ["staging-1"])
        #expect(try real.list(store.spool).count == 1)
        held = nil
        #expect(held == nil)
        #expect(try real.list(store.spool).isEmpty)
    }

    @Test("What somebody put into the store's folders keeps no start out, and no capture either; it is reported")
    func foreign() throws {
        let folder = StoreFolder()
        let entry: QueueEntry
        do {
            let store = try folder.open()
            try store.setDevice(Receipts.device)
            try real.writeAtomically(store.spool.appending("a file"), [1])
            try real.createDirectories(store.spool.appending("staging-1").appending("a folder"))
            entry = try store.add(Draft.photo(1), now: Draft.start)
            let receipt = Receipts.receipt(for: entry)
            try store.commit(receipt, of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
            try real.createDirectory(store.folder(of: entry.id).appending("a folder"))
            #expect(throws: AgentStoreError.self) { try store.freeRetained(after: .zero, now: Draft.start) }
            try real.rename(
                store.folder(of: try store.add(Draft.photo(2), now: Draft.start).id),
                to: store.spool.appending(Draft.photo(2).manifest.id.description)
            )
        }
        let store = try folder.open()
        #expect(Set(store.recovery.failed.keys) == ["staging-1", entry.id.description])
        #expect(try store.entries().map(\.state) == [.freed, .captured])
        let last = try #require(try store.entries().last)
        #expect(try store.damage(of: last) == nil)
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
                let drafts = [
                    try draft(1, [1, 2, 3], at: sources[0]), try draft(2, [4, 5], at: sources[1], by: .move),
                ]
                files.fail(call, with: fault)
                do {
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

/// Files that are added together.
struct BatchIntakeTests {
    private let real = PosixFileSystem()
    private static let calls = ["mkdir", "link", "open", "pwrite", "rename", "syncfs", "fsync", "fdatasync"]

    @Test("Each file of a batch gets a folder, a name, a record and its place, and the disk is waited for once")
    func callsPerFile() throws {
        let folder = StoreFolder()
        let files = FaultyFileSystem()
        let store = try folder.open(files)
        // The first capture after an orderly end also takes back the marker of that end.
        try store.add(Draft.photo(99), now: Draft.start)
        let drafts = try (1...20).map { try store.staged(Draft.photo($0)) }
        let before = Self.calls.map { files.count(of: $0) }
        try store.add(drafts, now: Draft.start) { _ in }
        let made = zip(Self.calls, before).map { files.count(of: $0) - $1 }
        #expect(made == [20, 20, 20, 20, 20, 1, 0, 0], "\(Self.calls)")
    }

    @Test("The row of a capture names the device, and its folder is enough to create it again")
    func record() throws {
        let folder = StoreFolder()
        let ids: [AssetID]
        do {
            let store = try folder.open()
            try store.setDevice(Receipts.device)
            ids = try [Draft.photo(1), .livePhoto(2)].map { try store.add($0, now: Draft.start).id }
            for entry in try store.entries() {
                let path = store.folder(of: entry.id).appending("entry.json")
                let bytes = try #require(try real.readAll(path))
                var manifest = try JSONDecoder().decode(EntryRecord.self, from: Data(bytes)).manifest
                #expect(entry.deviceID == Receipts.device && manifest.deviceID == nil)
                manifest.deviceID = Receipts.device
                #expect(manifest == entry.manifest)
            }
        }
        for name in try real.list(folder.path) where name.hasPrefix("state.sqlite") {
            try real.unlink(folder.path.appending(name))
        }
        #expect(try folder.open().entries().map(\.id).sorted() == ids.sorted())
    }
}

/// Shots whose files a recorder writes into the store's spool.
struct ShotIntakeTests {
    @Test("What the recorder wrote and hashed is neither read, copied nor synchronised again")
    func once() throws {
        let folder = StoreFolder()
        let files = FaultyFileSystem()
        let store = try folder.open(files)
        // The first capture after an orderly end also takes back the marker of that end.
        try store.add(Draft.photo(7), now: Draft.start)
        let shot = Shot(1)
        let before = files.flushes
        let intake = try store.openIntake(for: shot.begun)
        let draft = try shot.recorded(into: intake, of: files)
        // The recorder waits for each of its files; names follow from them on most file systems.
        let hasNames = FileSystemKind.namesWhatIsSynced(in: store.spool)
        #expect(files.flushes - before == (hasNames ? 2 : 3))
        let (flushes, reads, writes) = (files.flushes, files.count(of: "pread"), files.count(of: "pwrite"))
        let entry = try store.add(draft, now: Draft.start)
        #expect(files.flushes - flushes == (hasNames ? 0 : 1), "SQLite alone waits, for the row")
        #expect(files.count(of: "pread") == reads)
        #expect(files.count(of: "pwrite") == writes + 1, "only the record is written")
        #expect(entry.manifest.resources.map(\.type) == [.photo, .pairedVideo] && !entry.isIncompleteLivePhoto)
        #expect(try store.damage(of: entry) == nil)
        let names = try PosixFileSystem().list(store.folder(of: entry.id))
        #expect(names.count == 3 && names.contains("entry.json"), "\(names)")
        #expect(try PosixFileSystem().list(store.spool).isEmpty)
    }

    @Test("A file that is not as long as it was written is refused, and the shot leaves nothing")
    func shortened() throws {
        let folder = StoreFolder()
        let store = try folder.open()
        let shot = Shot(1)
        do {
            let intake = try store.openIntake(for: shot.begun)
            _ = try shot.recorded(into: intake, of: PosixFileSystem())
            let still = intake.path.appending(shot.stillName)
            #expect(throws: PersistenceError.self) {
                try intake.recorded(still, digest: ContentHasher.digest(Shot.still), byteCount: 1)
            }
        }
        #expect(try PosixFileSystem().list(store.spool).isEmpty)
    }

    @Test(
        "003.21: whatever call fails from before the shutter on, a shot is whole, an incomplete Live Photo, or nothing",
        arguments: FaultyFileSystem.Fault.allCases
    )
    func faults(fault: FaultyFileSystem.Fault) throws {
        let shot = Shot(1)
        var found: Set<Int> = []
        var isThrough = false
        for call in 1...500 where !isThrough {
            let folder = StoreFolder()
            var isReported = false
            do {
                let files = FaultyFileSystem()
                let store = try folder.open(files)
                files.fail(call, with: fault)
                do {
                    let intake = try store.openIntake(for: shot.begun)
                    try store.add(try shot.recorded(into: intake, of: files), now: Draft.start)
                    isReported = true
                } catch {
                    isReported = false
                }
                isThrough = files.calls < call
            }
            for _ in 0..<2 {
                let store = try folder.open()
                let entries = try store.entries()
                found.insert(entries.first?.manifest.resources.count ?? 0)
                if isReported { #expect(entries.first?.manifest.resources.count == 2, "lost after call \(call)") }
                for entry in entries {
                    #expect(try store.damage(of: entry) == nil, "call \(call)")
                    #expect(entry.isIncompleteLivePhoto == (entry.manifest.resources.count == 1), "call \(call)")
                    #expect(entry.manifest.desiredAlbum == .title("Gate"), "call \(call)")
                }
                #expect(try PosixFileSystem().list(store.spool).isEmpty, "the spool leaks after call \(call)")
                #expect(store.recovery.failed.isEmpty && store.recovery.lost.isEmpty, "call \(call)")
            }
        }
        #expect(isThrough)
        // After the power went nobody cleans up: what was durable by then is kept.
        #expect(found == (fault == .powerCut ? [0, 1, 2] : [0, 2]), "\(found)")
    }

    /// What a power cut does to a file whose name was durable before its bytes.
    enum Damage: CaseIterable {
        case empty, cutOff, hole

        func apply(to path: Path) throws {
            let file = try PosixFileSystem().open(path, .update)
            let byteCount = try file.byteCount()
            switch self {
            case .empty: try file.truncate(to: 0)
            case .cutOff: try file.truncate(to: byteCount - 1)
            case .hole: try file.write([UInt8](repeating: 0, count: 100)[...], at: byteCount - 200)
            }
            try file.close()
        }
    }

    @Test("A name whose bytes the power took is no file: no shot without its still, or one without its movie")
    func torn() throws {
        let shot = Shot(1)
        for damage in Damage.allCases {
            for (name, count) in [(shot.stillName, 0), (shot.movieName, 1)] {
                // A movie of zeros has no hole.
                if damage == .hole, name == shot.movieName { continue }
                for hasRecord in [true, false] {
                    let folder = StoreFolder()
                    do { _ = try folder.open() }
                    let spooled = folder.path.appending("spool").appending("\(shot.id)")
                    try shot.leave(in: spooled, hasRecord: hasRecord)
                    try damage.apply(to: spooled.appending(name))
                    let store = try folder.open()
                    let entries = try store.entries()
                    let counts = entries.map(\.manifest.resources.count)
                    #expect(counts == (count == 0 ? [] : [count]), "\(damage), \(name)")
                    for entry in entries { #expect(try store.damage(of: entry) == nil) }
                    #expect(try PosixFileSystem().list(store.spool).isEmpty)
                }
            }
        }
    }

    @Test("A shot not reported yet is kept without its damaged movie, and says so; without its still it is none")
    func damagedFile() throws {
        let files = PosixFileSystem()
        for damagedIndex in 0...1 {
            let folder = StoreFolder()
            do {
                let store = try folder.open()
                let entry = try {
                    let intake = try store.openIntake(for: Shot(1).begun)
                    return try store.add(try Shot(1).recorded(into: intake, of: files), now: Draft.start)
                }()
                let file = store.file(of: entry.manifest.resources[damagedIndex], in: entry.id)
                try files.open(file, .update).write([9], at: 100)
                try files.rename(store.folder(of: entry.id), to: store.spool.appending("\(entry.id)"))
                try store.forget(entry.id)
            }
            let store = try folder.open()
            let entries = try store.entries()
            #expect(entries.map { $0.manifest.resources.map(\.type) } == (damagedIndex == 0 ? [] : [[.photo]]))
            for entry in entries {
                #expect(entry.isIncompleteLivePhoto && entry.manifest.captureFacts?.isLivePhotoIncomplete == true)
                #expect(!entry.manifest.mediaSubtypes.contains(.photoLive))
                #expect(try store.damage(of: entry) == nil)
                #expect(try files.list(store.folder(of: entry.id)).count == 2)
            }
            #expect(try files.list(store.spool).isEmpty)
        }
    }

    @Test("A reported shot whose files lost their new names gets them back, with its row or its record")
    func lostFileNames() throws {
        for hasRow in [true, false] {
            let folder = StoreFolder()
            let files = PosixFileSystem()
            let shot = Shot(1)
            do {
                let store = try folder.open()
                let entry = try {
                    let intake = try store.openIntake(for: shot.begun)
                    return try store.add(try shot.recorded(into: intake, of: files), now: Draft.start)
                }()
                let spooled = store.spool.appending("\(entry.id)")
                try files.rename(store.folder(of: entry.id), to: spooled)
                for (resource, name) in zip(entry.manifest.resources, [shot.stillName, shot.movieName]) {
                    let path = store.file(of: resource, in: entry.id)
                    try files.rename(spooled.appending(path.name), to: spooled.appending(name))
                }
                if !hasRow { try store.forget(entry.id) }
                try store.settle()
            }
            let store = try folder.open()
            let entries = try store.entries()
            #expect(entries.map(\.state) == [.captured] && entries.map(\.manifest.resources.count) == [2])
            #expect(try entries.allSatisfy { try store.damage(of: $0) == nil })
            #expect(try files.list(store.folder(of: shot.id)).count == 3)
            #expect(try files.list(store.spool).isEmpty)
        }
    }

    @Test("Recovery of an interrupted shot that fails at any call is made good by the next")
    func recovery() throws {
        for fault in FaultyFileSystem.Fault.allCases {
            var isThrough = false
            for call in 1...500 where !isThrough {
                let folder = StoreFolder()
                let shot = Shot(1)
                do {
                    let store = try folder.open()
                    try shot.leave(in: store.spool.appending("\(shot.id)"), hasRecord: call % 2 == 0)
                    // The service had ended in order; the shot was another process's.
                    try store.settle()
                }
                let files = FaultyFileSystem()
                files.fail(call, with: fault)
                _ = try? folder.open(files)
                isThrough = files.calls < call
                let entries = try folder.open().entries()
                #expect(entries.map(\.manifest.resources.count) == [2], "call \(call), \(fault)")
            }
            #expect(isThrough)
        }
    }

    @Test("A row that the power took is made again from its folder, wherever that is by then")
    func lostRow() throws {
        for isRenamed in [true, false] {
            let folder = StoreFolder()
            let shot = Shot(1)
            let path = try {
                let store = try folder.open()
                let intake = try store.openIntake(for: shot.begun)
                let entry = try store.add(try shot.recorded(into: intake, of: PosixFileSystem()), now: Draft.start)
                try store.forget(entry.id)
                return (store.folder(of: entry.id), store.spool.appending("\(entry.id)"))
            }()
            if !isRenamed { try PosixFileSystem().rename(path.0, to: path.1) }
            let store = try folder.open()
            #expect(store.recovery.adopted == [shot.id])
            #expect(try store.entries().map(\.manifest.resources.count) == [2])
            #expect(try PosixFileSystem().list(store.spool).isEmpty)
        }
    }

    @Test("A reported shot keeps its entry if the power took its record and the new name of its folder")
    func lostName() throws {
        let folder = StoreFolder()
        let shot = Shot(1)
        do {
            let store = try folder.open()
            let entry = try {
                let intake = try store.openIntake(for: shot.begun)
                return try store.add(try shot.recorded(into: intake, of: PosixFileSystem()), now: Draft.start)
            }()
            let spooled = store.spool.appending("\(entry.id)")
            try PosixFileSystem().rename(store.folder(of: entry.id), to: spooled)
            try PosixFileSystem().open(spooled.appending("entry.json"), .update).truncate(to: 0)
            try store.settle()
        }
        for _ in 0..<2 {
            let store = try folder.open()
            #expect(store.recovery.removed.isEmpty && store.recovery.lost.isEmpty)
            let entries = try store.entries()
            #expect(entries.map(\.state) == [.captured] && entries.map(\.manifest.resources.count) == [2])
            #expect(try entries.allSatisfy { try store.damage(of: $0) == nil })
            let record = try PosixFileSystem().readAll(store.folder(of: shot.id).appending("entry.json"))
            #expect(record?.isEmpty == false)
        }
    }

    @Test("A shot that another process is taking is left alone until that process is done, or gone")
    func others() throws {
        let folder = StoreFolder()
        let shot = Shot(1)
        do { _ = try folder.open() }
        let guest = try AgentStore(guestAt: folder.path)
        let draft = try shot.recorded(into: try guest.openIntake(for: shot.begun), of: PosixFileSystem())
        let owner = try folder.open()
        #expect(owner.recovery.adopted.isEmpty && owner.recovery.removed.isEmpty, "its folder is locked")
        #expect(try owner.begunShots() == [shot.id])
        try guest.add(draft, now: Draft.start)
        #expect(try owner.begunShots().isEmpty)
        #expect(try owner.entries().map(\.manifest.resources.count) == [2])
        do { _ = try guest.openIntake(for: Shot(2).begun) }
        #expect(try owner.begunShots().isEmpty, "a shot that was given up")
    }

    @Test("Of a version that staged shots in capturing/, whole ones are taken in, with what was known of them")
    func formerVersion() throws {
        let files = PosixFileSystem()
        let folder = StoreFolder()
        let former = folder.path.appending("capturing")
        let shots = (1...4).map { Shot($0) }
        for shot in shots { try shot.leaveAsFormerVersion(in: former.appending("\(shot.id)")) }
        try files.unlink(former.appending("\(shots[1].id)").appending("\(shots[1].id).mov"))
        try files.unlink(former.appending("\(shots[2].id)").appending("\(shots[2].id).jpg"))
        // What that version had begun to move into its queue.
        let spooled = folder.path.appending("spool").appending("\(shots[0].id)")
        try files.createDirectories(spooled)
        try files.writeAtomically(spooled.appending("1.part"), [1])
        try files.createDirectories(former.appending("mine"))
        let taken = try files.lock(former.appending("\(shots[3].id)").appending("lock"))
        var store = try folder.open()
        #expect(Set(store.recovery.adopted) == [shots[0].id, shots[1].id])
        #expect(store.recovery.removed == ["\(shots[2].id)"] && store.recovery.failed.isEmpty)
        let entries = try store.entries()
        #expect(entries.map(\.manifest.resources.count) == [2, 1])
        #expect(entries.map(\.isIncompleteLivePhoto) == [false, true])
        for entry in entries {
            #expect(try store.damage(of: entry) == nil)
            #expect(entry.manifest.desiredAlbum == .title("Gate"))
            #expect(entry.manifest.captureFacts?.trigger == "input gate")
            #expect(entry.manifest.captureTime.bootID == BootID("1a08b77a-d85d-4db9-8809-2c311b565fc8"))
            #expect(try files.list(store.folder(of: entry.id)).count == entry.manifest.resources.count + 1)
        }
        #expect(try files.list(former) == ["\(shots[3].id)", "mine"].sorted())
        taken.release()
        _ = consume store
        store = try folder.open()
        #expect(store.recovery.adopted == [shots[3].id])
        #expect(try files.list(former) == ["mine"])
    }
}
