package import PhotoModel

/// Which assets a map shows, where, and how finely.
package struct PlaceQuery: Hashable, Sendable {
    /// The most columns of a map's grid.
    package static let columns = 1...32
    /// The smallest cell is a 2^20th of the equator: 38 m.
    private static let mostHalvings = 20

    /// Which assets; their order and limit do not matter.
    package var options: FetchOptions
    /// The area that is shown.
    package var box: GeographicBox
    /// How many cells the longer side of the area has at most, but for those that are cut by its edges.
    package var columnCount: Int

    package init(options: FetchOptions = FetchOptions(), box: GeographicBox = .earth, columnCount: Int = 16) {
        self.options = options
        self.box = box
        self.columnCount = columnCount
    }

    /// The side of a cell in degrees: the equator halved again and again, so that a map which is moved keeps its cells.
    package var cellDegrees: Double {
        let width = box.east - box.west + (box.crossesDateLine ? 360 : 0)
        let smallest = max(width, box.north - box.south) / Double(columnCount)
        var side = 360.0
        for _ in 0..<Self.mostHalvings where side / 2 >= smallest { side /= 2 }
        return side
    }
}

/// Assets that were captured near each other.
package struct PlaceCluster: Hashable, Sendable, Codable {
    /// Their mean place.
    package var center: Location
    /// The smallest area that holds them; `{"inside": box}` is the filter that they alone match.
    package var box: GeographicBox
    /// How many they are; never 0.
    package var count: Int
    /// The one that came into the library last.
    package var assetID: AssetID

    package init(center: Location, box: GeographicBox, count: Int, assetID: AssetID) {
        self.center = center
        self.box = box
        self.count = count
        self.assetID = assetID
    }
}

/// The assets of a list on a map: counted and not told.
package struct PlaceClusters: Hashable, Sendable, Codable {
    /// The fullest first; at most `APILimits.placeClusterCount`.
    package var clusters: [PlaceCluster]
    /// How much of the library the caller sees.
    package var access: AssetPage.Access

    package init(clusters: [PlaceCluster], access: AssetPage.Access) {
        self.clusters = clusters
        self.access = access
    }
}
