import PhotoModel

/// The parts of a camera's picture that nobody may keep, such as a neighbour's window.
///
/// They are blackened in each frame before anything can read it: stills, movies, previews, motion detection and
/// thumbnails never see them.
package struct PrivacyMask: Hashable, Sendable {
    /// The longest ``text`` in bytes; about 200 corners.
    package static let maximumByteCount = CaptureFacts.maximumMaskByteCount

    /// The polygons, each filled by the even-odd rule.
    package let areas: [PicturePolygon]

    /// A mask of these areas; nil for none, and for more than ``maximumByteCount`` allows.
    package init?(areas: [PicturePolygon]) {
        self.areas = areas
        guard !areas.isEmpty, text.utf8.count <= Self.maximumByteCount else { return nil }
    }

    /// The polygons as a profile lists them, separated by `; `.
    package var text: String { areas.map(\.description).joined(separator: "; ") }
}
