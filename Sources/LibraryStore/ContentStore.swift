package import Persistence
package import PhotoModel

/// Where the bytes of assets lie: received in staging, published under their digest, taken out through quarantine.
///
/// Every call blocks and belongs on the blocking pool. `publish` and `quarantine` are called by one caller at a time.
package protocol ContentStore: Sendable {
    /// Opens what is being received under a name, new or to be continued; see `StagingFile`.
    func stage(_ name: String, durableByteCount: Int64) throws -> StagingFile
    /// Gives up what was received under a name; an unknown one is no error.
    func discard(_ name: String) throws
    /// The names of everything in staging.
    func stagedNames() throws -> [String]
    /// Makes staged bytes durable under their addresses: one result a publication, in order.
    func publish(_ publications: [Publication]) -> [Result<Void, any Error>]
    /// Begins a journal, in which many small contents are received and made durable together; one that cannot be begun
    /// leaves nothing.
    func beginJournal(_ name: String) throws -> ContentJournal
    /// Says that nothing more will be published from a journal, so that it can be settled.
    func closeJournal(_ name: String)
    /// Gives up a journal that nothing was published from; an unknown one is no error.
    func discardJournal(_ name: String) throws
    /// Bytes that are published from journals.
    var journaledByteCount: Int64 { get }
    /// The digests that are published from each closed journal.
    func journaledDigests() -> [String: [ContentDigest]]
    /// Moves the wanted contents of closed journals to their final places, durably, and removes the journals; gives how
    /// many were moved.
    func settle(_ wanted: [String: Set<ContentDigest>]) throws -> Int
    /// Takes up the journals that another process left; gives how many contents they hold, and how many were no whole
    /// journals.
    func recoverJournals() throws -> (contents: Int, dropped: Int)
    /// Opens published bytes to be read; `notFound` when there are none.
    func open(_ address: ContentAddress) throws -> any OpenFile
    /// How many bytes are published at an address; nil for none.
    func byteCount(_ address: ContentAddress) throws -> Int64?
    /// The digest and the number of the bytes that are there; nil for none.
    func measure(_ address: ContentAddress) throws -> (digest: ContentDigest, byteCount: Int64)?
    /// Calls with every published file; `nil` with the name of a file that is no address.
    func visit(_ body: (_ address: ContentAddress?, _ name: String) throws -> Void) throws
    /// Takes published bytes out of reach without deleting them; gives the name that they have there. What is known to be
    /// damaged never takes the place of what was taken out before.
    func quarantine(_ address: ContentAddress, isDamaged: Bool) throws -> String
    /// Puts bytes back from quarantine, if they are there and are the right ones; tells whether it did.
    func restoreIfWhole(_ address: ContentAddress) throws -> Bool
    /// Deletes bytes in quarantine for good; an unknown name is no error.
    func purge(_ name: String) throws
    /// Bytes that can still be written.
    func freeByteCount() throws -> Int64
}

/// Staged bytes that are to be published.
package struct Publication: Hashable, Sendable {
    /// The name in staging, or the journal's.
    package let stagedName: String
    /// Where they are to be.
    package let address: ContentAddress
    /// How many there are.
    package let byteCount: Int64
    /// Whether a row says already that the bytes are there, so that only the staged ones are given up later.
    package let isKnown: Bool
    /// Where the bytes are in a journal; nil for a staged file.
    package let journaled: ContentJournal.Record?

    /// Describes the publication of a staged file.
    package init(stagedName: String, address: ContentAddress, byteCount: Int64, isKnown: Bool) {
        self.stagedName = stagedName
        self.address = address
        self.byteCount = byteCount
        self.isKnown = isKnown
        journaled = nil
    }

    /// Describes the publication of what a journal holds.
    package init(_ record: ContentJournal.Record, of journal: String) {
        stagedName = journal
        address = record.address
        byteCount = record.byteCount
        isKnown = false
        journaled = record
    }
}
