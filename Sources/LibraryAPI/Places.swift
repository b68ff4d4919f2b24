package import PhotoModel

/// The assets, area and resolution of a map.
package struct PlaceQuery: Hashable, Sendable {
    /// The most columns of a map's grid.
    package static let columns = 1...32
    /// The smallest cell is a 2^20th of the equator: 38 m.
    private static let mostHalvings = 20

    /// The assets to show; order and limit are ignored.
    package var options: FetchOptions
    /// The visible area.
    package var box: GeographicBox
    /// The most cells on the longer side of the area, not counting those cut by its edges.
    package var columnCount: Int

    package init(options: FetchOptions = FetchOptions(), box: GeographicBox = .earth, columnCount: Int = 16) {
        self.options = options
        self.box = box
        self.columnCount = columnCount
    }

    /// The side of a cell in degrees: the equator halved repeatedly, so that a map keeps its cells when it is moved.
    package var cellDegrees: Double {
        let width = box.east - box.west + (box.crossesDateLine ? 360 : 0)
        let smallest = max(width, box.north - box.south) / Double(columnCount)
        var side = 360.0
        for _ in 0..<Self.mostHalvings where side / 2 >= smallest { side /= 2 }
        return side
    }
}

/// A group of assets captured near each other.
package struct PlaceCluster: Hashable, Sendable, Codable {
    /// Their mean place.
    package var center: Location
    /// The smallest area that contains them; the filter `{"inside": box}` matches exactly them.
    package var box: GeographicBox
    /// The number of assets; never 0.
    package var count: Int
    /// The asset added to the library last.
    package var assetID: AssetID

    package init(center: Location, box: GeographicBox, count: Int, assetID: AssetID) {
        self.center = center
        self.box = box
        self.count = count
        self.assetID = assetID
    }
}

/// The assets of a list on a map, as counts.
package struct PlaceClusters: Hashable, Sendable, Codable {
    /// Largest first; at most `APILimits.placeClusterCount`.
    package var clusters: [PlaceCluster]
    /// How much of the library the caller sees.
    package var access: AssetPage.Access

    package init(clusters: [PlaceCluster], access: AssetPage.Access) {
        self.clusters = clusters
        self.access = access
    }
}
