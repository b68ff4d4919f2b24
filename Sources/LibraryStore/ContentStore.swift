package import LibraryAPI
package import Persistence
package import PhotoModel

/// The bytes of assets: received as uploads or in batches, published under their digest, removed through quarantine.
///
/// Damaged or missing bytes throw a `PersistenceError`. `publish` and `quarantine` are called by one caller at a time.
package protocol ContentStore: Sendable {
    /// Marks the store as a new library's, or checks that it is this library's; throws if it is another's.
    func claim(_ library: LibraryID, isNew: Bool) async throws
    /// Continues an upload after the confirmed bytes of its row, and drops any bytes after those; throws `damaged` if
    /// confirmed bytes are missing. `announced` returns the upload's address.
    func receive(
        _ upload: UploadRecord,
        for announced: () async throws -> ContentAddress
    ) async throws -> any ContentReception
    /// Drops the unpublished bytes of uploads; unknown ones are not an error.
    func discard(_ uploads: [String]) async throws
    /// The names of everything received and not yet dropped: uploads, and any foreign entry.
    func receptions() async throws -> [String]
    /// Begins a batch of many small contents that become durable together; leaves nothing behind if it throws.
    func receiveBatch(_ name: String) async throws -> any BatchReception
    /// Makes received bytes durable in their final places; returns the address for the row of each publication, in
    /// order.
    func publish(_ publications: [Publication]) async -> [Result<ContentAddress, any Error>]
    /// Opens published bytes for reading; throws `notFound` if nothing is published there.
    func open(_ address: ContentAddress) async throws -> any ContentReader
    /// Opens published bytes for another process; throws `notFound` if nothing is published there. Blocks; call it on
    /// the thread that waits for that process.
    func lend(_ address: ContentAddress) throws -> LentContent
    /// The length of the bytes published at an address; nil if nothing is published there.
    func byteCount(_ address: ContentAddress) async throws -> Int64?
    /// Calls `body` with everything in its final place, one page at a time.
    func visit(_ body: (_ page: [StoredContent]) async throws -> Void) async throws
    /// Moves published bytes to quarantine without deleting them; returns their name there. Damaged bytes never replace
    /// bytes already there.
    func quarantine(_ address: ContentAddress, isDamaged: Bool) async throws -> String
    /// Restores bytes from quarantine if they are there and have the right digest; returns whether it did.
    func restoreIfWhole(_ address: ContentAddress) async throws -> Bool
    /// Deletes quarantined bytes permanently; an unknown name is not an error.
    func purge(_ name: String) async throws
    /// The number of bytes that can still be written; nil if unlimited.
    func freeByteCount() async throws -> Int64?
    /// Where the bytes are, in words for an administrator.
    var description: String { get }
    /// Checks that the bytes can be reached.
    func checkReadiness() async throws
    /// The bytes of batches that are published but not yet in their final place.
    var unsettledByteCount: Int64 { get }
    /// Moves the contents of ended batches to their final place, durably; returns how many. `wanted` returns which digests
    /// are wanted; the other contents are dropped.
    func settle(_ wanted: (_ digests: [ContentDigest]) async throws -> Set<ContentDigest>) async throws -> Int
    /// Reads the batches that a previous process left; returns how many contents they hold, and how many batches were
    /// dropped because they never became durable.
    func recover() async throws -> (contents: Int, dropped: Int)
}

/// Received bytes to publish.
package struct Publication: Hashable, Sendable {
    /// Where the received bytes are.
    package enum Source: Hashable, Sendable {
        /// In an upload, by its name, as the copy that its reception made; a nil copy is named by the upload.
        case upload(String, copy: String? = nil)
        /// In a batch, by its name and an offset that only the store interprets.
        case batch(String, offset: Int64)
    }

    /// Where the bytes are now.
    package let source: Source
    /// Where to publish them: the address at which a row already has the same bytes, otherwise the announced one.
    package let address: ContentAddress
    /// The address that the upload or batch announced.
    package let announced: ContentAddress
    /// Their length.
    package let byteCount: Int64
    /// Whether a row already says that these bytes are published.
    package let isKnown: Bool

    /// Bytes to publish, by default with no row yet.
    package init(
        _ source: Source,
        address: ContentAddress,
        announced: ContentAddress? = nil,
        byteCount: Int64,
        isKnown: Bool = false
    ) {
        self.source = source
        self.address = address
        self.announced = announced ?? address
        self.byteCount = byteCount
        self.isKnown = isKnown
    }
}

/// An entry found by a walk through the published bytes.
package struct StoredContent: Hashable, Sendable {
    /// The address in its name; nil for a foreign entry.
    package let address: ContentAddress?
    /// Its name in the store.
    package let name: String
}

/// Published bytes, open for reading.
package protocol ContentReader: Sendable {
    /// Their length.
    var byteCount: Int64 { get }
    /// Reads up to `count` bytes at an offset; returns fewer only at the end.
    func read(_ count: Int, at offset: Int64) async throws -> [UInt8]
    /// Runs a parser that reads at any offset, on a thread that may block.
    func parsing<Value: Sendable>(
        _ body: @escaping @Sendable (_ read: @escaping OpenResource.Reading) throws -> Value
    ) async throws -> Value
}

extension ContentReader {
    /// SHA-256 of all bytes, read now.
    package func digest() async throws -> ContentDigest {
        try await parsing { [byteCount] read in
            try ContentHasher.digest(byteCount: byteCount) { offset, count in try read(count, offset) }
        }
    }
}

/// Published bytes for another process, which never gets a file's name.
package enum LentContent: Sendable {
    /// A descriptor of exactly these bytes, close-on-exec; the caller closes it.
    case descriptor(Int32)
    /// The bytes themselves, if there are few.
    case bytes([UInt8])
}
