import Authorization
import GRDB
package import LibraryAPI
import PhotoModel

extension SQLiteMetadataStore {
    /// Where the assets of a list were captured within an area, gathered in cells of a grid, the fullest first.
    package func places(_ query: PlaceQuery, in view: LibraryView) async throws -> PlaceClusters {
        var options = query.options
        options.filter = .all([.inside(query.box)] + (options.filter.map { [$0] } ?? []))
        let (condition, scope) = (FilterSQL(view.visible(options)), FilterSQL(view))
        let side = query.cellDegrees
        let clusters = try await database.read { database in
            // Left alone, the planner takes the timeline's index, which knows no places. The limit keeps it from merging the
            // inner query with conditions that are never true, for which it finds no way to use this index.
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT cell.*, asset.id FROM (
                        SELECT CAST((longitude + 180) / ? AS INTEGER) AS column, CAST((latitude + 90) / ? AS INTEGER) AS line,
                            min(longitude) AS west, min(latitude) AS south, max(longitude) AS east, max(latitude) AS north,
                            avg(longitude) AS longitude, avg(latitude) AS latitude, count(*) AS assets, max(key) AS newest
                        FROM (
                            SELECT key, \(Self.placeColumns) FROM asset INDEXED BY asset_place
                            WHERE latitude IS NOT NULL AND latitude BETWEEN ? AND ? LIMIT -1
                        ) WHERE \(condition.sql) AND \(scope.sql) GROUP BY column, line
                    ) AS cell JOIN asset ON asset.key = cell.newest
                    ORDER BY cell.assets DESC, cell.newest DESC LIMIT \(APILimits.placeClusterCount)
                    """,
                arguments: [side, side, query.box.south, query.box.north] + condition.arguments + scope.arguments
            )
            return try rows.map(Self.cluster)
        }
        return PlaceClusters(clusters: clusters, access: view == .everything ? .full : .limited)
    }

    /// What the index of places has of an asset.
    private static let placeColumns = """
        latitude, longitude, is_trashed, is_hidden, stands_out, is_favorite, rating, media_type, media_subtypes, \
        playback_style, in_burst, device, local_date, capture_date, id
        """

    private static func cluster(_ row: Row) throws -> PlaceCluster {
        guard
            let box = GeographicBox(west: row["west"], south: row["south"], east: row["east"], north: row["north"]),
            // A mean of many equal numbers can be a little more than each.
            let center = Location(
                latitude: (row["latitude"] as Double).clamped(to: box.south...box.north),
                longitude: (row["longitude"] as Double).clamped(to: box.west...box.east)
            )
        else { throw RowDamage("a place on Earth") }
        return PlaceCluster(center: center, box: box, count: row["assets"], assetID: try AssetID(blob: row["id"]))
    }
}
