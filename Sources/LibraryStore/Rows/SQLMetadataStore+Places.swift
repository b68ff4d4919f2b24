import Authorization
package import LibraryAPI
import PhotoModel

extension SQLMetadataStore {
    /// Where the assets of a list were captured within an area, grouped into grid cells, the fullest first.
    package func places(_ query: PlaceQuery, in view: LibraryView) async throws -> PlaceClusters {
        var options = query.options
        options.filter = .all([.inside(query.box)] + (options.filter.map { [$0] } ?? []))
        let side = query.cellDegrees
        let clusters = try await readWhole { [options] database in
            let scope = FilterSQL(view, database.dialect)
            // What is done for a limited view depends on no other asset, see ``ListPlan``.
            let condition = FilterSQL(
                view.visible(options),
                database.dialect,
                standard: view == .everything ? .asked : .alone
            )
            // The limit keeps SQLite from merging the inner query with conditions that are never true, with which it
            // would not use the index of places; and any engine from testing what is not in the view.
            let rows = try database.rows(
                """
                SELECT cell.*, asset.id FROM (
                    SELECT \(database.dialect.whole("(longitude + 180) / ?")) AS cell_column, 
                        \(database.dialect.whole("(latitude + 90) / ?")) AS cell_line,
                        min(longitude) AS west, min(latitude) AS south, max(longitude) AS east, max(latitude) AS north,
                        avg(longitude) AS longitude, avg(latitude) AS latitude, count(*) AS assets, max(key) AS newest
                    FROM (
                        SELECT key, \(Self.placeColumns) FROM \(database.dialect.placesTable)
                        WHERE latitude IS NOT NULL AND latitude BETWEEN ? AND ? AND \(scope.sql) LIMIT \(Int64.max)
                    ) AS place WHERE \(condition.sql) GROUP BY cell_column, cell_line
                ) AS cell JOIN asset ON asset.key = cell.newest
                ORDER BY cell.assets DESC, cell.newest DESC LIMIT \(APILimits.placeClusterCount)
                """,
                [side, side, query.box.south, query.box.north] + scope.arguments + condition.arguments
            )
            return try rows.map(Self.cluster)
        }
        return PlaceClusters(clusters: clusters, access: view == .everything ? .full : .limited)
    }

    /// The columns of an asset in the index of places.
    private static let placeColumns = """
        latitude, longitude, is_trashed, is_hidden, stands_out, is_favorite, rating, media_type, media_subtypes, \
        playback_style, in_burst, device, local_date, capture_date, id
        """

    private static func cluster(_ row: SQLRow) throws -> PlaceCluster {
        guard
            let box = GeographicBox(
                west: try row["west"],
                south: try row["south"],
                east: try row["east"],
                north: try row["north"]
            ),
            // A mean of many equal numbers can be a little more than each.
            let center = Location(
                latitude: (try row["latitude"] as Double).clamped(to: box.south...box.north),
                longitude: (try row["longitude"] as Double).clamped(to: box.west...box.east)
            )
        else { throw RowDamage("a place on Earth") }
        return PlaceCluster(center: center, box: box, count: try row["assets"], assetID: try AssetID(blob: row["id"]))
    }
}
