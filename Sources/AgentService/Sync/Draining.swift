import AgentStore
import LibraryAPI
import Persistence
import PhotoModel

/// What a box that is being retired tells the library, contact by contact; every call blocks.
///
/// Hearing of it, the box takes nothing new. Shots that had been begun are the last: their identifiers were there before the
/// shutter, so they are announced with what is in the queue. The list that the library has taken to its end is the whole;
/// when nothing of it is left here, the box says so, and is none of the library's devices any more.
enum Draining {
    /// What the next contact says of it; nil when there is nothing to say.
    static func report(of store: AgentStore) throws -> DrainReport? {
        guard let mark = try store.draining(), mark.begun != nil, try isDelivered(mark.device, store) else {
            return nil
        }
        return DrainReport(isWhole: true, isDelivered: true)
    }

    /// Takes in how the library sees it.
    ///
    /// - Parameters:
    ///   - progress: what the library said; nil when the box is not being retired.
    ///   - sent: what the box had said.
    ///   - store: the box's store.
    /// - Returns: what is to be said at once, by another contact.
    /// - Throws: what the store or the file system says.
    static func next(
        after progress: DrainProgress?,
        _ sent: DrainReport?,
        in store: AgentStore
    ) throws -> DrainReport? {
        guard let progress else {
            try store.endDraining()
            return nil
        }
        guard !progress.isEnded else {
            try store.noteDrained()
            return nil
        }
        try store.beginDraining()
        try store.closeDraining(begun: begunShots(store))
        guard let mark = try store.draining() else { return nil }
        if progress.isAnnounced { return sent?.isDelivered == true ? nil : try report(of: store) }
        // A list that did not close although all of it was told is told again by the next contact.
        if let sent, sent.isWhole, !sent.isDelivered { return nil }
        return try page(of: mark, after: sent?.isWhole == false ? sent?.announced.last : nil, store)
    }

    /// Takes in that the device is revoked: where all was delivered, that was the library's answer to the last report.
    static func noteRevocation(in store: AgentStore) throws {
        guard try report(of: store) != nil else { return }
        try store.noteDrained()
    }

    private static func page(of mark: DrainRecord, after last: AssetID?, _ store: AgentStore) throws -> DrainReport {
        let begun = last == nil ? mark.begun ?? [] : []
        let limit = max(1, APILimits.announcedCount - begun.count)
        let owed = try store.owedAssets(of: mark.device, after: last, limit: limit)
        return DrainReport(announced: begun + owed, isWhole: owed.count < limit)
    }

    private static func isDelivered(_ device: DeviceID, _ store: AgentStore) throws -> Bool {
        // In this order: a shot is in the queue before its folder goes.
        try begunShots(store).isEmpty && store.owedAssets(of: device, after: nil, limit: 1).isEmpty
    }

    /// Shots whose files are not in the queue yet.
    private static func begunShots(_ store: AgentStore) throws -> [AssetID] {
        let fileSystem = PosixFileSystem()
        let folder = QueueDestination.workFolder(of: store)
        guard try fileSystem.status(folder) != nil else { return [] }
        return try fileSystem.list(folder).compactMap { AssetID($0) }
    }
}
