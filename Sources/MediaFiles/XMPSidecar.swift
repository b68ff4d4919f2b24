package import MediaFormats
package import Persistence
package import PhotoModel

/// People's texts about an asset, beside its file: XMP as read and written by darktable, digiKam, Immich and PhotoPrism.
package enum XMPSidecar {
    /// Why a sidecar is unreadable.
    package struct Unreadable: Error {
        /// The reason.
        package let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// A sidecar's extension.
    package static let fileExtension = ".xmp"
    /// The longest sidecar that is read, in bytes.
    private static let maximumByteCount = 1 << 20
    /// XMP has no favourites; a label is the nearest that other programs keep.
    private static let favouriteLabel = "Favourite"

    /// The sidecar of an asset; nil if nobody wrote anything about it.
    package static func bytes(for asset: Asset) -> [UInt8]? {
        var properties = XMPProperties()
        properties.title = asset.title
        properties.description = asset.caption
        properties.keywords = asset.keywords.sorted().map(\.text)
        properties.rating = asset.rating == .unrated ? nil : Double(asset.rating.rawValue)
        properties.label = asset.isFavorite ? favouriteLabel : nil
        guard properties != XMPProperties() || asset.captureDateOverride != nil else { return nil }
        properties.createDate = CivilTime(asset.captureDate, utcOffsetSeconds: asset.utcOffsetSeconds).description
        properties.latitude = asset.location?.latitude
        properties.longitude = asset.location?.longitude
        properties.altitude = asset.location?.altitude
        return properties.packet()
    }

    /// Reads a sidecar's content, or why it is unreadable, which says nothing about the file beside it.
    ///
    /// - Throws: `PersistenceError` if it cannot be opened or read now.
    package static func read(_ path: Path, in fileSystem: any FileSystem) throws -> Result<XMPProperties, Unreadable> {
        let source = try FileSource(path, in: fileSystem)
        guard source.byteCount <= maximumByteCount else { return .failure(Unreadable("it is longer than 1 MiB")) }
        let whole = FileRange(0..<source.byteCount)
        let bytes = try source.bytes(in: whole)
        let properties = try? bytes.withBytes { bytes throws(MediaFormatError) in
            try XMPProperties(bytes, packet: whole)
        }
        return properties.map { .success($0) } ?? .failure(Unreadable("it is not readable XMP"))
    }

    /// Whether it marks a favourite.
    package static func isFavourite(_ properties: XMPProperties) -> Bool { properties.label == favouriteLabel }
}
