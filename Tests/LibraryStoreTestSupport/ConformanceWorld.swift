import Authorization
package import LibraryAPI
package import LibraryStore
import Persistence
package import PhotoModel
import Synchronization
import TestSupport

/// Time, randomness and a key for a store that is held to its port's contract, and captures to put into it.
package final class ConformanceWorld: Sendable {
    /// A device that may do everything.
    package static let device = DeviceID(rawValue: 0xD1)
    /// Another one.
    package static let otherDevice = DeviceID(rawValue: 0xD2)

    private let generator: Mutex<SeededGenerator>
    private let microseconds = Mutex<Int64>(1_750_000_000_000_000)

    /// A world that is the same for the same seed.
    package init(seed: UInt64 = 1) { generator = Mutex(SeededGenerator(seed: seed)) }

    /// The time; it goes on by a millisecond each time it is read.
    package var now: WallTime {
        microseconds.withLock { time in
            time += 1000
            return WallTime(microsecondsSince1970: time)
        }
    }

    /// Lets days pass.
    package func advance(days: Int64) { microseconds.withLock { $0 += days * 86_400_000_000 } }

    /// What the store takes from outside.
    package var effects: StoreEffects {
        StoreEffects(now: { self.now }, randomBits: { self.bits }, signer: NamedSigner())
    }

    private var bits: UInt128 { generator.withLock { UInt128($0.next()) << 64 | UInt128($0.next()) } }

    /// A photo that nobody has described yet.
    package func manifest(
        id: AssetID? = nil,
        byteCount: Int64 = 100,
        filename: FileName? = nil
    ) -> AssetManifest {
        AssetManifest(
            id: id ?? effects.identifier(AssetID.self),
            mediaType: .image,
            captureTime: CaptureTime(wall: now, source: .deviceClock, isSynchronized: true),
            resources: [
                AssetResource(
                    id: ResourceID(rawValue: bits),
                    type: .photo,
                    digest: ContentHasher.digest("\(bits)".utf8),
                    byteCount: byteCount,
                    contentType: "image/jpeg",
                    originalFilename: filename
                )
            ]
        )
    }

    /// Takes both devices in, and lets them do everything.
    package func addDevices(to store: any MetadataStore) async throws {
        for device in [Self.device, Self.otherDevice] {
            try await addDevice(device, to: store)
            try await decide(device, .answer(.all, for: Set(AccessLevel.allCases)), in: store)
        }
    }

    /// Takes a device in of which nothing is decided but that it may ask.
    func addDevice(_ device: DeviceID, to store: any MetadataStore) async throws {
        _ = try await store.addDevice(
            device,
            profile: DeviceProfile(name: "box", build: "1", usage: UsageTexts(add: "x"), enrolled: now),
            key: DeviceKeyRecord(
                fingerprint: ContentHasher.digest(device.description.utf8),
                certificateExpires: now,
                isCurrent: true
            ),
            ceiling: { _, _ in .unlimited },
            pendingLimit: .max,
            audit: AuditEntry.Content(.enrol, by: "conformance")
        )
        try await decide(device, .state(.approved), in: store)
    }

    /// Decides as an operator.
    func decide(_ device: DeviceID, _ change: DecisionRecord.Change, in store: any MetadataStore) async throws {
        _ = try await store.decide(device, change, by: .administrator("ana"), reason: "", audit: AuditContext())
    }

    /// Saves a photo as if its bytes were published.
    @discardableResult
    package func save(
        _ manifest: AssetManifest? = nil,
        by caller: StoreCaller = .device(device),
        to store: any MetadataStore
    ) async throws -> CommitResponse {
        let request = CommitRequest(manifest: manifest ?? self.manifest(), caller: caller, needsCreation: false)
        let results = await store.commit([request])
        guard let result = results.first else { throw StoreError(.internalError, "no result of one request") }
        return try result.get().response
    }
}

private struct NamedSigner: ReceiptSigner {
    let keyID = "conformance"

    func signature(for bytes: [UInt8]) throws -> [UInt8] { ContentHasher.digest(bytes).bytes }
}

/// The code of what a call is refused with; nil when it is not.
func refusal(_ call: () async throws -> Void) async -> ErrorCode? {
    do {
        try await call()
        return nil
    } catch {
        return StoreError.wrapping(error).code
    }
}
