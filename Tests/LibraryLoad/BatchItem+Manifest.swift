import Foundation
package import LibraryAPI
package import LibraryClient

extension BatchItem {
    /// An asset with the bytes of its resources.
    package init(_ manifest: AssetManifest, sources: [BodySource]) throws {
        self.init(manifest: Array(try JSONEncoder().encode(manifest)), sources: sources)
    }
}
