import AgentStore
import LibraryAPI
import PhotoModel

/// A draining box's reports to the library, contact by contact; every call blocks.
///
/// Once told, the box accepts nothing new. Shots already begun are the last: their identifiers exist before the
/// shutter, so they are announced together with the queue. The list is final once the library has all of it; when
/// nothing of it is left here, the box reports that, and is no longer a device of the library.
enum Draining {
    /// The next contact's report; nil if there is nothing to report.
    static func report(of store: AgentStore) throws -> DrainReport? {
        guard let mark = try store.draining(), mark.begun != nil, try store.isEmptied(of: mark.device) else {
            return nil
        }
        return DrainReport(isWhole: true, isDelivered: true)
    }

    /// Handles the library's progress report, nil if the box is not being retired, after the box's last report; returns
    /// one to send at once, in another contact.
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
        try store.closeDraining(begun: store.begunShots())
        guard let mark = try store.draining() else { return nil }
        if progress.isAnnounced { return sent?.isDelivered == true ? nil : try report(of: store) }
        // A list that was sent completely but did not close is sent again by the next contact.
        if let sent, sent.isWhole, !sent.isDelivered { return nil }
        return try page(of: mark, after: sent?.isWhole == false ? sent?.announced.last : nil, store)
    }

    /// Handles the device's revocation: if everything was delivered, it was the library's response to the last report.
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
}
