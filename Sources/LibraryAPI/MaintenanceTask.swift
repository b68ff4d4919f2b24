package import PhotoModel

/// Work on the whole library that takes long: it goes on in the server while who asked for it looks after it.
///
/// The server keeps the last ones in memory only: a restart ends what was under way, and the next run goes on from what is
/// durable.
package struct MaintenanceTask: Hashable, Sendable, Codable, Identifiable {
    /// What is to be done, on `Endpoint.adminStartTask`.
    package enum Request: Hashable, Sendable, Codable {
        /// Makes a snapshot in a folder of the server's machine, and keeps so many.
        case backup(folder: String, keep: Int)
        /// Compares rows, files and, on request, digests.
        case verify(choice: Verification)
        /// Purges what has been in the trash, and deletes what has been in quarantine, for its time.
        case collect
    }

    /// How much is compared.
    package struct Verification: Hashable, Sendable, Codable {
        /// Whether every file is read and hashed.
        package var isHashing: Bool
        /// Whether damage and leftovers are moved to quarantine.
        package var isRepairing: Bool
        /// Of how many parts only one is looked at, by the first bytes of the digests; nil for everything.
        package var part: Part?
        /// Bytes that are read a second at most, so that nobody else waits for the disk; nil for no limit.
        package var bytesPerSecond: Int64?
        /// What was hashed since then and was right is not read again, so that a run that was ended goes on; nil to read
        /// everything.
        package var hashedSince: WallTime?

        /// One of several equal parts of all digests.
        package struct Part: Hashable, Sendable, Codable {
            /// From 0.
            package var index: Int
            /// At least 1.
            package var count: Int

            /// Takes both; nil unless `index` is below `count` and there are at most 365 parts.
            package init?(index: Int, count: Int) {
                guard 1...365 ~= count, 0..<count ~= index else { return nil }
                self.index = index
                self.count = count
            }

            /// Reads both, and refuses what makes no part.
            package init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let (index, count) = (
                    try container.decode(Int.self, forKey: .index), try container.decode(Int.self, forKey: .count)
                )
                guard let part = Self(index: index, count: count) else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: decoder.codingPath, debugDescription: "part \(index) of \(count) is none")
                    )
                }
                self = part
            }

            /// Whether a digest is in the part.
            package func contains(_ digest: ContentDigest) -> Bool {
                let bytes = digest.bytes
                // Shifts bind more tightly than products.
                return ((Int(bytes[0]) << 8 | Int(bytes[1])) * count) >> 16 == index
            }
        }

        package init(isHashing: Bool, isRepairing: Bool, part: Part? = nil, bytesPerSecond: Int64? = nil) {
            self.isHashing = isHashing
            self.isRepairing = isRepairing
            self.part = part
            self.bytesPerSecond = bytesPerSecond
        }
    }

    /// How it stands.
    package enum State: Hashable, Sendable, Codable {
        /// It goes on.
        case running
        /// A snapshot was made.
        case backedUp(report: BackupReport)
        /// Everything was compared.
        case verified(report: VerificationReport)
        /// So many assets were purged, so many files deleted.
        case collected(purged: Int, deleted: Int)
        /// It failed.
        case failed(problem: ProblemDetails)
        /// An operator ended it.
        case cancelled
    }

    /// Names it.
    package let id: MaintenanceTaskID
    /// What is to be done.
    package let request: Request
    /// When it began.
    package let began: WallTime
    /// How far it has come; nil before it is known how much there is to do.
    package var progress: TransferProgress?
    /// How it stands.
    package var state: State

    /// A task that begins.
    package init(id: MaintenanceTaskID, request: Request, began: WallTime) {
        self.id = id
        self.request = request
        self.began = began
        state = .running
    }
}

/// Names a task.
package struct MaintenanceTaskID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}
