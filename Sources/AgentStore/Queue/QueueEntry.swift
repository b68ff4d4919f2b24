package import Authorization
package import LibraryAPI
package import PhotoModel

/// An asset on the agent, or freed after the library's receipt.
package struct QueueEntry: Hashable, Sendable, Identifiable {
    /// The state of an asset on its way to the library.
    package enum State: Hashable, Sendable {
        /// Durable on the box, and ready to be sent.
        case captured
        /// Durable on the box, but held.
        case held(HoldReason)
        /// Described to the library; its bytes are being sent.
        case uploading
        /// Durable in the library, by its receipt; still on the box.
        case committed
        /// Durable in the library, by its receipt; no longer on the box.
        case freed
        /// Refused permanently; kept until a person decides.
        case deadLetter

        /// The name in the database and in JSON.
        package var name: String {
            switch self {
            case .captured: "captured"
            case .held: "held"
            case .uploading: "uploading"
            case .committed: "committed"
            case .freed: "freed"
            case .deadLetter: "deadLetter"
            }
        }

        /// Whether it is still owed to the library.
        package var isOwed: Bool {
            switch self {
            case .captured, .held, .uploading: true
            case .committed, .freed, .deadLetter: false
            }
        }
    }

    /// The manifest; its `deviceID` is the owning device.
    package var manifest: AssetManifest
    /// Its state.
    package var state: State
    /// Whether it is a Live Photo without its movie.
    package var isIncompleteLivePhoto: Bool
    /// When it became durable here, by the box's clock.
    package var addedAt: WallTime
    /// The last problem, in words.
    package var problem: String?
    /// The library's receipt for every byte.
    package var receipt: SignedReceipt?

    /// The asset's identifier.
    package var id: AssetID { manifest.id }
    /// The owning device; nil while the box has never been enrolled.
    package var deviceID: DeviceID? { manifest.deviceID }
    /// Bytes of all resources.
    package var byteCount: Int64 { manifest.resources.reduce(0) { $0 + $1.byteCount } }
}

/// Counts and bytes of the queue by state.
package struct QueueSummary: Hashable, Sendable {
    /// Assets and bytes of one state.
    package struct Part: Hashable, Sendable {
        /// Assets.
        package var count = 0
        /// Their bytes.
        package var byteCount: Int64 = 0
    }

    /// By the state's name.
    package var states: [String: Part] = [:]
    /// Held assets by reason.
    package var holds: [HoldReason: Int] = [:]

    /// The entries owed to the library.
    package var owed: Part {
        ["captured", "held", "uploading"].compactMap { states[$0] }.reduce(into: Part()) { sum, part in
            sum.count += part.count
            sum.byteCount += part.byteCount
        }
    }
}
