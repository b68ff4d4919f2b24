import PhotoModel
import Replication
import SyncEngine
import TestSupport

// Shots, from the camera into the queue, and out of it once a backup holds them.

extension SimulatedBox {
    /// Bytes of originals that have room.
    static let capacity: Int64 = 90_000_000

    /// A shot, of one or two resources.
    mutating func capture(_ shot: Int, _ world: inout SimulatedSurroundings) {
        let sizes = world.generator.pick([[1000], [900_000], [1 << 20, 5_000_000], [12_000_000], [1, 1_048_577]])
        let entry = Self.entry(of: device, sizes, shot, &world.generator)
        if disk.content.usedBytes + entry.byteCount > Self.capacity {
            world.faults.note(.boxFull)
            guard world.bug == .dropsUnsaved else { return }
            guard let oldest = disk.content.owed.first else { return }
            world.truth.blame(14, "a full box dropped what was not saved")
            _ = try? disk.commit([{ $0.owed.removeAll { $0.id == oldest.id } }], &world)
        }
        world.truth.attempt(entry, shot: shot)
        unfinished.append((entry, shot))
        finishCaptures(&world)
        wakeUp(world.now)
    }

    private static func entry(
        of device: DeviceID,
        _ sizes: [Int],
        _ shot: Int,
        _ generator: inout SeededGenerator
    ) -> SyncEntry {
        let types: [AssetResourceType] = [.photo, .pairedVideo]
        let resources = zip(sizes, types).map { size, type in
            AssetResource(
                id: .version7(unixMilliseconds: 0, using: &generator),
                type: type,
                digest: ContentDigest(bytes: [UInt8](repeating: UInt8(shot % 256), count: 32)) ?? .zero,
                byteCount: Int64(size),
                contentType: "image/jpeg"
            )
        }
        let id = AssetID.version7(unixMilliseconds: Int64(shot), using: &generator)
        return SyncEntry(id: id, deviceID: device, resources: resources, wantsAlbum: generator.oneIn(5))
    }

    /// Takes in shots that were not reported yet: under the names that they have.
    mutating func finishCaptures(_ world: inout SimulatedSurroundings) {
        while let (entry, shot) = unfinished.first {
            if !disk.content.owed.contains(where: { $0.id == entry.id }) {
                // The row and then the bytes: the order that a torn record shows worst.
                let row: SimulatedDisk.Page = { $0.owed.append(entry) }
                let bytes = entry.resources.map { resource -> SimulatedDisk.Page in { $0.files.insert(resource.id) } }
                do throws(SimulatedDisk.Failure) {
                    try disk.commit([row] + bytes, &world)
                } catch {
                    if world.bug == .namesAgain { nameAgain(shot, &world) }
                    if error == .powerCut { restart(isPowerCut: true, &world) }
                    return
                }
            }
            world.truth.report(entry.id)
            unfinished.removeFirst()
        }
    }

    private mutating func nameAgain(_ shot: Int, _ world: inout SimulatedSurroundings) {
        let sizes = unfinished[0].entry.resources.map { Int($0.byteCount) }
        let entry = Self.entry(of: device, sizes, shot, &world.generator)
        world.truth.attempt(entry, shot: shot)
        unfinished[0].entry = entry
    }

    /// Frees originals that a backup of the library holds.
    mutating func free(_ world: inout SimulatedSurroundings) {
        let record = disk.content
        var gone = Set(
            record.saved.filter { _, saved in
                saved.hasOriginals && saved.receipt.epoch == record.epoch && saved.receipt.number <= record.watermark
            }.keys
        )
        if world.bug == .freesWithoutReceipt, let oldest = record.owed.first { gone = [oldest.id] }
        if !gone.isSubset(of: record.saved.keys) {
            world.truth.blame(4, "originals were freed for which there is no receipt")
        }
        guard !gone.isEmpty else { return }
        let assets = gone
        do throws(SimulatedDisk.Failure) {
            try disk.commit([{ $0.free(assets) }], &world)
        } catch {
            if error == .powerCut { restart(isPowerCut: true, &world) }
        }
    }
}
