package import Authorization
package import LibraryAPI
package import PhotoModel

/// One asset that the agent holds, or held until the library's receipt let it go.
package struct QueueEntry: Hashable, Sendable, Identifiable {
    /// How far an asset is on its way into the library.
    package enum State: Hashable, Sendable {
        /// Durable on the box, and free to be sent.
        case captured
        /// Durable on the box, and not sent for a reason.
        case held(HoldReason)
        /// Described to the library; bytes are on their way.
        case uploading
        /// Durable in the library by its receipt; still on the box, too.
        case committed
        /// Durable in the library by its receipt; gone from the box.
        case freed
        /// Refused for good; kept until a person decides.
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

        /// Whether the library still has to get it.
        package var isOwed: Bool {
            switch self {
            case .captured, .held, .uploading: true
            case .committed, .freed, .deadLetter: false
            }
        }
    }

    /// The order of capture; goes up.
    package var sequence: Int64
    /// What the asset is; `deviceID` in it is the device that it belongs to.
    package var manifest: AssetManifest
    /// How far it is.
    package var state: State
    /// Whether the library was told of it; its manifest is frozen then.
    package var isDescribed: Bool
    /// Whether it was to be a Live Photo whose movie never came.
    package var isIncompleteLivePhoto: Bool
    /// When it was made durable here, by the box's clock.
    package var addedAt: WallTime
    /// What went wrong last, in words.
    package var problem: String?
    /// The library's word that it has every byte.
    package var receipt: SignedReceipt?
    /// When that word came, by the box's clock.
    package var committedAt: WallTime?

    /// Names the asset.
    package var id: AssetID { manifest.id }
    /// The device that it belongs to; nil while the box has never been one.
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

    /// What the library still has to get.
    package var owed: Part {
        ["captured", "held", "uploading"].compactMap { states[$0] }.reduce(into: Part()) { sum, part in
            sum.count += part.count
            sum.byteCount += part.byteCount
        }
    }
}
