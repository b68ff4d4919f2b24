package import PhotoModel

/// Long-running work on the whole library: it runs in the server while the client polls it.
///
/// The server keeps the latest ones only in memory: a restart ends running work, and the next run continues from what
/// is durable.
package struct MaintenanceTask: Hashable, Sendable, Codable, Identifiable {
    /// The work to do, on `Endpoint.adminStartTask`.
    package enum Request: Hashable, Sendable, Codable {
        /// Creates a snapshot in a folder of the server's machine, and keeps this many.
        case backup(folder: String, keep: Int)
        /// Compares rows, files and, optionally, digests.
        case verify(choice: Verification)
        /// Purges expired trash, and deletes expired quarantine.
        case collect
        /// Records that a backup made by other tools is complete up to a change.
        case noteBackup(upTo: ChangeNumber)
    }

    /// The scope of a verification.
    package struct Verification: Hashable, Sendable, Codable {
        /// Whether to read and hash every file.
        package var isHashing: Bool
        /// Whether to move damage and leftovers to quarantine.
        package var isRepairing: Bool
        /// The only part to verify, by the digests' first bytes; nil for everything.
        package var part: Part?
        /// The maximum read rate in bytes per second, so that others do not wait for the disk; nil for no limit.
        package var bytesPerSecond: Int64?
        /// Skips content hashed successfully since then, so that an interrupted run resumes; nil to read everything.
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

            /// Decodes both, and refuses invalid parts.
            package init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let (index, count) = (
                    try container.decode(Int.self, forKey: .index), try container.decode(Int.self, forKey: .count)
                )
                guard let part = Self(index: index, count: count) else {
                    throw decoder.corruption("there is no part \(index) of \(count)")
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

    /// The state of a task.
    package enum State: Hashable, Sendable, Codable {
        /// It is running.
        case running
        /// A snapshot was created.
        case backedUp(report: BackupReport)
        /// Everything was compared.
        case verified(report: VerificationReport)
        /// This many assets were purged and files deleted.
        case collected(purged: Int, deleted: Int)
        /// A backup up to this change was recorded.
        case noted(upTo: ChangeNumber)
        /// It failed.
        case failed(problem: ProblemDetails)
        /// An operator cancelled it.
        case cancelled
    }

    /// The task's identifier.
    package let id: MaintenanceTaskID
    /// The work to do.
    package let request: Request
    /// When it began.
    package let began: WallTime
    /// Its progress; nil until the amount of work is known.
    package var progress: TransferProgress?
    /// Its state.
    package var state: State

    /// A task that starts.
    package init(id: MaintenanceTaskID, request: Request, began: WallTime) {
        self.id = id
        self.request = request
        self.began = began
        state = .running
    }
}

/// Identifies a task.
package struct MaintenanceTaskID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}
