package import LibraryAPI
package import LibraryClient
import PhotoModel
package import TestSupport

/// An asset whose bytes are made when they are needed.
package struct SampleCapture: Sendable {
    /// What a device says of it.
    package let manifest: AssetManifest
    /// The bytes of each resource, in the manifest's order.
    package let contents: [SampleBytes]

    /// A photo, or with two sizes a Live Photo.
    ///
    /// - Parameters:
    ///   - sizes: bytes of each resource; 8 at least, since fewer would not all be different.
    ///   - generator: decides everything else.
    /// - Throws: never, in practice: hashing what is in memory.
    package init(sizes: [Int64], _ generator: inout SeededGenerator) throws {
        contents = sizes.map { SampleBytes(seed: generator.next(), byteCount: $0) }
        let roles: [(AssetResourceType, String)] = [(.photo, "image/jpeg"), (.pairedVideo, "video/quicktime")]
        let milliseconds = 1_700_000_000_000 + Int64(generator.below(1 << 32))
        var resources: [AssetResource] = []
        for (content, role) in zip(contents, roles) {
            resources.append(
                AssetResource(
                    id: .version7(unixMilliseconds: milliseconds, using: &generator),
                    type: role.0,
                    digest: try content.digest(),
                    byteCount: content.byteCount,
                    contentType: role.1
                )
            )
        }
        manifest = AssetManifest(
            id: .version7(unixMilliseconds: milliseconds, using: &generator),
            mediaType: .image,
            captureTime: CaptureTime(
                wall: WallTime(millisecondsSince1970: milliseconds),
                source: .deviceClock,
                isSynchronized: true
            ),
            resources: resources
        )
    }

    /// The asset as one of a batch.
    package var batchItem: BatchItem {
        get throws { try BatchItem(manifest, sources: contents.map { $0.source() }) }
    }
}
