import AgentStore
import Authorization
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

extension AgentStore {
    /// Stores the library's word for one asset.
    func commit(
        _ receipt: SignedReceipt,
        of asset: AssetID,
        verifiedBy isGenuine: ReceiptVerifier,
        now: WallTime
    ) throws {
        if let problem = try commit([asset: receipt], verifiedBy: isGenuine, now: now)[asset] { throw problem }
    }
}

enum Receipts {
    static let device = DeviceID(rawValue: 5)

    static func receipt(
        for entry: QueueEntry,
        device: DeviceID? = Receipts.device,
        resources: [AssetResource]? = nil,
        epoch: UInt128 = 1
    ) -> SignedReceipt {
        let receipt = Receipt(
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: epoch),
            deviceID: device,
            assetID: entry.id,
            changeNumber: ChangeNumber(rawValue: 1),
            time: Draft.start,
            resources: (resources ?? entry.manifest.resources).map(Receipt.Resource.init)
        )
        return SignedReceipt(receipt: receipt, keyID: "0123456789abcdef", signature: [1])
    }
}

struct AgentStoreTests {
    private let folder = StoreFolder()

    @Test("A capture has the bytes it was given, and the same capture again is the same entry")
    func add() throws {
        let store = try folder.open()
        let entry = try store.add(Draft.livePhoto(1), now: Draft.start)
        #expect(entry.state == .captured && entry.byteCount == 5100 && entry.deviceID == nil)
        #expect(try store.damage(of: entry) == nil)
        #expect(try store.read(entry.manifest.resources[0], of: entry.id, at: 98, count: 10) == [1, 1])
        #expect(try store.add(Draft.livePhoto(1), now: Draft.start) == entry)
        #expect(try store.summary().owed.count == 1)
    }

    @Test("What is sent is read in order from a file that is opened once")
    func reader() throws {
        let files = FaultyFileSystem()
        let store = try folder.open(files)
        let entry = try store.add(Draft.livePhoto(1), now: Draft.start)
        let resource = try #require(entry.manifest.resources.max { $0.byteCount < $1.byteCount })
        func calls(_ read: (Int64) throws -> [UInt8]) rethrows -> (bytes: [UInt8], count: Int) {
            let before = files.calls
            let bytes = try stride(from: Int64(0), to: 200, by: 50).flatMap(read)
            return (bytes, files.calls - before)
        }
        let reader = ResourceReader(resource, of: entry.id, 10..<210, in: store)
        let once = try calls { try reader.read(at: $0, count: 50) }
        let each = try calls { try store.read(resource, of: entry.id, at: 10 + $0, count: 50) }
        #expect(once.bytes == each.bytes && once.bytes.count == 200)
        #expect(once.count + 3 <= each.count, "the file was opened again")
        #expect(try reader.read(at: 190, count: 50).count == 10, "no more than its range")
        #expect(try reader.read(at: 200, count: 50).isEmpty)
    }

    @Test("Two agents cannot have one store open")
    func exclusive() throws {
        let store = try folder.open()
        #expect(throws: (any Error).self) { try folder.open() }
        _ = store
    }

    @Test("000.3: a capture without bytes makes no entry, and a movie without its still neither")
    func invalid() throws {
        let store = try folder.open()
        var movie = Draft.livePhoto(2)
        movie.resources.removeFirst()
        for draft in [Draft.photo(1, byteCount: 0), movie] {
            let error = #expect(throws: AgentStoreError.self) { try store.add(draft, now: Draft.start) }
            #expect(error?.code == .invalid)
        }
        #expect(try store.entries().isEmpty)
        #expect(try PosixFileSystem().list(store.spool).isEmpty)
    }

    @Test("Promise 14: a full queue refuses captures before anything is written")
    func full() throws {
        let store = try folder.open()
        try store.add(Draft.photo(1), now: Draft.start)
        let limits = [
            SpaceLimits(maximumByteCount: 150), SpaceLimits(reserveByteCount: .max / 2),
        ]
        for limit in limits {
            let error = #expect(throws: AgentStoreError.self) {
                try store.add(Draft.photo(2), limits: limit, now: Draft.start)
            }
            #expect(error?.code == .full)
        }
        #expect(try store.entries().count == 1)
        #expect(try store.add(Draft.photo(2), now: Draft.start).state == .captured)
    }

    @Test("003.28: a moved file is the same file here, not a copy; its old name is gone once the entry is durable")
    func move() throws {
        let (store, draft, source) = try movedShot(FaultyFileSystem(), folder)
        let number = try fileNumber(source)
        let entry = try store.add(draft, now: Draft.start)
        #expect(try store.read(entry.manifest.resources[0], of: entry.id, at: 0, count: 9) == [1, 2, 3])
        #expect(try fileNumber(store.file(of: entry.manifest.resources[0], in: entry.id)) == number)
        #expect(try PosixFileSystem().status(source) == nil)
    }

    @Test("003.28: from another file system a moved file is copied, and gone once its bytes are durable here")
    func moveFromElsewhere() throws {
        let fileSystem = FaultyFileSystem(hasLinks: false)
        let (store, draft, source) = try movedShot(fileSystem, folder)
        let number = try fileNumber(source)
        let entry = try store.add(draft, now: Draft.start)
        #expect(try store.read(entry.manifest.resources[0], of: entry.id, at: 0, count: 9) == [1, 2, 3])
        #expect(try fileNumber(store.file(of: entry.manifest.resources[0], in: entry.id)) != number)
        #expect(try PosixFileSystem().status(source) == nil)
    }

    @Test("003.28: whichever call fails, the bytes of a moved file are in one place or the other")
    func moveFails() throws {
        for fault in FaultyFileSystem.Fault.allCases {
            var isUntouched = false
            for call in 1...1000 where !isUntouched {
                let folder = StoreFolder()
                let source = try {
                    let fileSystem = FaultyFileSystem()
                    let (store, draft, source) = try movedShot(fileSystem, folder)
                    fileSystem.fail(call, with: fault)
                    _ = try? store.add(draft, now: Draft.start)
                    isUntouched = fileSystem.calls < call
                    return source
                }()
                let store = try folder.open()
                let isKept = try PosixFileSystem().readAll(source) == [1, 2, 3]
                let isHere = try store.entries().contains { try store.damage(of: $0) == nil }
                #expect(isKept || isHere, "call \(call), \(fault)")
            }
            #expect(isUntouched)
        }
    }

    /// A store, and a shot whose still lies in a file to be moved.
    private func movedShot(
        _ fileSystem: FaultyFileSystem,
        _ folder: StoreFolder
    ) throws -> (AgentStore, Draft, Path) {
        let store = try folder.open(fileSystem)
        let source = folder.path.appending("shot.jpg")
        try PosixFileSystem().writeAtomically(source, [1, 2, 3])
        var draft = Draft.photo(1)
        draft.resources[0].content = .file(source, .moveOrCopy)
        return (store, draft, source)
    }

    /// What the file system knows a file by, whatever its names are.
    private func fileNumber(_ path: Path) throws -> UInt64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path.text)
        return try #require((attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
    }

    @Test("003.21: a Live Photo whose movie never came is a still that says so, also after a restart")
    func incomplete() throws {
        var draft = Draft.photo(1)
        draft.manifest.captureFacts = CaptureFacts(isLivePhotoIncomplete: true)
        try folder.open().add(draft, now: Draft.start)
        #expect(try folder.open().entries().map(\.isIncompleteLivePhoto) == [true])
    }

    @Test("Holds, releases and rejections keep the bytes and survive a restart")
    func states() throws {
        do {
            let store = try folder.open()
            for number in 1...4 { try store.add(Draft.photo(number), now: Draft.start) }
            let ids = try store.entries().map(\.id)
            try store.hold([ids[0], ids[1]], .denied)
            try store.release([ids[1]])
            try store.beginUpload([ids[2]])
            try store.reject(ids[3], "resource.invalid: no")
        }
        let store = try folder.open()
        #expect(try store.entries().map(\.state) == [.held(.denied), .captured, .captured, .deadLetter])
        #expect(try store.summary().holds == [.denied: 1])
        for entry in try store.entries() { #expect(try store.damage(of: entry) == nil) }
        try store.retry(AssetID(rawValue: 5))
        #expect(try store.owed(limit: 10).count == 4)
    }

    @Test("However many wait for something, what waits for nothing is among what is read of the queue, oldest first")
    func pastHolds() throws {
        let store = try folder.open()
        for number in 1...5 { try store.add(Draft.photo(number), now: Draft.start) }
        let ids = try store.entries().map(\.id)
        try store.hold([ids[0], ids[1], ids[3]], .revoked)
        #expect(try store.owed(limit: 3).map(\.id) == [ids[0], ids[2], ids[4]])
        #expect(try store.owed(limit: 2).map(\.id) == [ids[2], ids[4]])
        #expect(try store.owed(limit: 9).map(\.id) == ids)
        // A cut holds what waits for nothing else: that goes before what belonged to a former identity.
        try store.hold([ids[2], ids[4]], .offline)
        try store.hold([ids[3]], .denied)
        #expect(try store.owed(limit: 3).map(\.id) == [ids[2], ids[3], ids[4]])
    }

    @Test("Promise 4: a receipt that is not for these bytes of this device is refused, and nothing can be freed by it")
    func receipts() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entry = try store.add(Draft.livePhoto(1), now: Draft.start)
        let still = [entry.manifest.resources[0]]
        let wrong: [(SignedReceipt, Bool)] = [
            (Receipts.receipt(for: entry, device: DeviceID(rawValue: 6)), true),
            (Receipts.receipt(for: entry, device: nil), true),
            (Receipts.receipt(for: entry, resources: still), true),
            (Receipts.receipt(for: entry), false),
        ]
        for (receipt, isGenuine) in wrong {
            let error = #expect(throws: AgentStoreError.self) {
                try store.commit(receipt, of: entry.id, verifiedBy: { _ in isGenuine }, now: Draft.start)
            }
            #expect(error?.code == .receiptRefused)
        }
        #expect(try store.freeRetained(after: .zero, now: Draft.start).count == 0)
        try store.commit(Receipts.receipt(for: entry), of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        #expect(try store.entry(entry.id)?.state == .committed)
    }

    @Test("A capture whose description is more than a library takes is refused, and leaves nothing")
    func describedTooLong() throws {
        let store = try folder.open()
        var draft = Draft.photo(1)
        draft.manifest.caption = String(repeating: "x", count: APILimits.manifestByteCount)
        let error = #expect(throws: AgentStoreError.self) { try store.add(draft, now: Draft.start) }
        #expect(error?.code == .invalid && error?.description.contains("shorten its texts") == true)
        #expect(try store.entries() == [] && store.keptByteCount() == 0)
        let names = try PosixFileSystem().list(store.spool)
        #expect(names == [])
    }

    @Test("Entries come in the order in which they are asked for, without those that are not there")
    func severalEntries() throws {
        let store = try folder.open()
        let ids = try (1...3).map { try store.add(Draft.photo($0), now: Draft.start).id }
        #expect(try store.entries([ids[2], AssetID(rawValue: 99), ids[0]]).map(\.id) == [ids[2], ids[0]])
        #expect(try store.entries([AssetID]()) == [])
    }

    @Test("What is sent of an entry is its manifest as it is stored, as long as the entry is owed")
    func outgoing() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entries = try [Draft.photo(1), .livePhoto(2)].map { try store.add($0, now: Draft.start) }
        let receipt = Receipts.receipt(for: entries[0])
        try store.commit(receipt, of: entries[0].id, verifiedBy: { _ in true }, now: Draft.start)
        let found = try store.outgoing([entries[1].id, AssetID(rawValue: 99), entries[0].id])
        #expect(found.map(\.id) == [entries[1].id, entries[0].id] && found.map(\.isOwed) == [true, false])
        for (asset, entry) in zip(found, entries.reversed()) {
            #expect(asset.deviceID == Receipts.device && asset.resources == entry.manifest.resources)
            let manifest = try JSONDecoder().decode(AssetManifest.self, from: Data(asset.manifest))
            #expect(manifest == entry.manifest)
        }
    }

    @Test("Promise 4: of many receipts those that are good are stored, and each other one says what is wrong with it")
    func manyReceipts() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entries = try (1...4).map { try store.add(Draft.photo($0), now: Draft.start) }
        var receipts = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, Receipts.receipt(for: $0)) })
        receipts[entries[1].id] = Receipts.receipt(for: entries[0])
        let stranger = AssetID(rawValue: 99)
        receipts[stranger] = Receipts.receipt(for: entries[0])
        let forged = Receipts.receipt(for: entries[2], epoch: 2)
        receipts[entries[2].id] = forged
        let problems = try store.commit(receipts, verifiedBy: { $0 != forged }, now: Draft.start)
        #expect(
            problems.mapValues(\.code)
                == [entries[1].id: .receiptRefused, entries[2].id: .receiptRefused, stranger: .notFound]
        )
        #expect(try store.entries().map(\.state) == [.committed, .captured, .captured, .committed])
    }

    @Test("While receipts are verified, others use the queue")
    func verificationBesideOthers() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entries = try (1...40).map { try store.add(Draft.photo($0), now: Draft.start) }
        let receipts = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, Receipts.receipt(for: $0)) })
        let problems = try store.commit(
            receipts,
            verifiedBy: { (try? store.entry($0.receipt.assetID))?.state == .captured },
            now: Draft.start
        )
        #expect(problems.isEmpty)
        #expect(try store.entries().allSatisfy { $0.state == .committed })
    }

    @Test("A full queue that may drops its oldest acknowledged originals, one by one, and never one without a receipt")
    func dropsSaved() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entries = try (1...3).map { try store.add(Draft.photo($0), now: Draft.start) }
        for entry in entries.dropLast() {
            try store.commit(Receipts.receipt(for: entry), of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        }
        let room = try store.keptByteCount()
        var limits = SpaceLimits(maximumByteCount: room)
        #expect(throws: AgentStoreError.self) { try store.add(Draft.photo(4), limits: limits, now: Draft.start) }
        #expect(try store.keptByteCount() == room, "by default nothing goes")
        limits.dropsSaved = true
        for number in 4...5 { try store.add(Draft.photo(number), limits: limits, now: Draft.start) }
        let error = #expect(throws: AgentStoreError.self) {
            try store.add(Draft.photo(6), limits: limits, now: Draft.start)
        }
        #expect(error?.code == .full, "what is left was not acknowledged")
        #expect(try store.entries().map(\.state) == [.freed, .freed, .captured, .captured, .captured])
        for entry in try store.entries(states: ["captured"]) { #expect(try store.damage(of: entry) == nil) }
    }

    @Test("A full queue drops nothing where all that it may drop would not make the room")
    func dropsNothingForNothing() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entries = try (1...2).map { try store.add(Draft.photo($0), now: Draft.start) }
        try store.commit(
            Receipts.receipt(for: entries[0]),
            of: entries[0].id,
            verifiedBy: { _ in true },
            now: Draft.start
        )
        let limits = SpaceLimits(maximumByteCount: try store.keptByteCount(), dropsSaved: true)
        let error = #expect(throws: AgentStoreError.self) {
            try store.add(Draft.photo(3, byteCount: 1000), limits: limits, now: Draft.start)
        }
        #expect(error?.code == .full)
        #expect(try store.entries().map(\.state) == [.committed, .captured], "what is saved stays, too")
        #expect(try store.damage(of: entries[0]) == nil)
    }

    @Test("An opening after an orderly end looks at what is owed alone, and one after anything else at everything")
    func settled() throws {
        do {
            let store = try folder.open()
            try store.add(Draft.photo(1), now: Draft.start)
            try store.forget(Draft.photo(1).manifest.id)
            try store.settle()
        }
        do {
            let store = try folder.open()
            #expect(store.recovery.adopted.isEmpty, "an orderly end leaves nothing to look for")
            try store.add(Draft.photo(2), now: Draft.start)
        }
        #expect(try folder.open().recovery.adopted == [Draft.photo(1).manifest.id], "captures were added since")
    }

    @Test("A program beside the one that has the store open adds captures")
    func guests() throws {
        let owner = try folder.open()
        try owner.setDevice(Receipts.device)
        let guest = try AgentStore(guestAt: folder.path)
        let entry = try guest.add(Draft.livePhoto(1), now: Draft.start)
        #expect(try owner.entries().map(\.id) == [entry.id])
        #expect(try owner.damage(of: entry) == nil)
        #expect(entry.deviceID == Receipts.device)
    }

    @Test("What a program beside the store left that was interrupted is looked for after an orderly end, too")
    func interruptedGuest() throws {
        let stray = AssetID(rawValue: 4711).description
        do {
            let owner = try folder.open()
            try PosixFileSystem().createDirectory(owner.spool.appending(stray))
            try owner.settle()
        }
        let store = try folder.open()
        #expect(store.recovery.removed == [stray])
        #expect(try PosixFileSystem().list(store.spool).isEmpty)
    }

    @Test("The limit in percent is of what the queue and the free room are together")
    func percent() throws {
        let store = try folder.open()
        try store.add(Draft.photo(1), limits: SpaceLimits(maximumPercent: 100), now: Draft.start)
        let error = #expect(throws: AgentStoreError.self) {
            try store.add(Draft.photo(2), limits: SpaceLimits(maximumPercent: 0), now: Draft.start)
        }
        #expect(error?.code == .full && error?.description.contains("queue.maximumPercent") == true)
    }

    @Test("Bytes stay for the retention and until the backup has them")
    func retention() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entry = try store.add(Draft.photo(1), now: Draft.start)
        try store.commit(Receipts.receipt(for: entry), of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        let day = Duration.seconds(86_400)
        let tomorrow = Draft.start.advanced(by: day)
        #expect(try store.freeRetained(after: day * 2, now: tomorrow).count == 0)
        #expect(try store.freeRetained(after: day, backupWatermark: .zero, now: tomorrow).count == 0)
        #expect(try store.freeRetained(after: day, now: tomorrow).byteCount == 100)
        #expect(try store.entry(entry.id)?.state == .freed)
        #expect(try store.entry(entry.id)?.receipt != nil)
    }

    @Test("A library that was restored gets again what is still here")
    func restoredLibrary() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let entry = try store.add(Draft.photo(1), now: Draft.start)
        try store.commit(Receipts.receipt(for: entry), of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        #expect(try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 1)) == 0)
        #expect(try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 2)) == 1)
        #expect(try store.owed(limit: 9).map(\.id) == [entry.id])
    }

    @Test("After a restore nothing counts as backed up by the mark of the history before, also in between")
    func restoredLibraryBackup() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let later = ChangeNumber(rawValue: 1000)
        #expect(try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 1)) == 0)
        #expect(try store.fact(.backupWatermark) == nil, "without backups nothing waits for one")
        try store.setFact(.backupWatermark, to: later)
        let entry = try store.add(Draft.photo(1), now: Draft.start)
        let receipt = Receipts.receipt(for: entry, epoch: 2)
        try store.commit(receipt, of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        func free() throws -> Int {
            try store.freeRetained(after: .zero, backupWatermark: store.fact(.backupWatermark), now: Draft.start).count
        }
        #expect(try free() == 0, "saved after the restore, of which the box does not know yet")
        #expect(try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 2)) == 0)
        #expect(try free() == 0)
        try store.setFact(.backupWatermark, to: later)
        #expect(try free() == 1, "backed up again")
    }

    @Test("Promise 15: captures of a boot with a wrong clock get the right time, unless the library was told")
    func clock() throws {
        let store = try folder.open()
        let boot = try #require(BootID("00000000-0000-4000-8000-000000000001"))
        for number in 1...2 {
            var draft = Draft.photo(number)
            draft.manifest.captureTime = CaptureTime(
                wall: WallTime(microsecondsSince1970: 0),
                monotonicNanoseconds: 5_000_000_000,
                bootID: boot,
                source: .deviceClock,
                isSynchronized: false
            )
            try store.add(draft, now: Draft.start)
        }
        try store.beginUpload([AssetID(rawValue: 3)])
        let others = [AssetID(rawValue: 3), AssetID(rawValue: 4)]
        #expect(try store.correctClock(bootID: boot, monotonicEpoch: Draft.start, of: others).isEmpty)
        let corrected = try store.correctClock(bootID: boot, monotonicEpoch: Draft.start)
        #expect(corrected == [AssetID(rawValue: 2)])
        let time = try store.entry(AssetID(rawValue: 2))?.manifest.captureTime
        #expect(time?.wall == Draft.start.advanced(by: .seconds(5)) && time?.source == .corrected)
        #expect(try store.correctClock(bootID: boot, monotonicEpoch: Draft.start).isEmpty)
    }

    @Test("Captures from before the enrolment belong to the first device; those of a former one stay its own")
    func devices() throws {
        let store = try folder.open()
        try store.add(Draft.photo(1), now: Draft.start)
        try store.setDevice(Receipts.device)
        try store.setDevice(DeviceID(rawValue: 8))
        try store.add(Draft.photo(2), now: Draft.start)
        #expect(try store.entries().map(\.deviceID) == [Receipts.device, DeviceID(rawValue: 8)])
        try store.retry(AssetID(rawValue: 2), as: DeviceID(rawValue: 8))
        #expect(try store.entries().map(\.deviceID) == [DeviceID(rawValue: 8), DeviceID(rawValue: 8)])
    }

    @Test("What is remembered is there after a restart")
    func facts() throws {
        try folder.open().setFact(.ticket, to: "abc")
        #expect(try folder.open().fact(.ticket) == "abc")
        #expect(try folder.open().fact(.admission) == nil)
        try folder.open().setFact(.ticket, to: nil)
        #expect(try folder.open().fact(.ticket) == nil)
    }

    @Test("What is remembered in a damaged row is an error, not as good as nothing")
    func damagedFacts() throws {
        let store = try folder.open()
        try store.setFact(Fact<String>("contact.last"), to: "no time")
        let error = #expect(throws: AgentStoreError.self) { try store.fact(.lastContact) }
        #expect(error?.code == .storage && error?.message.contains("contact.last") == true)
    }
}
