import FoundationEssentials
import LibraryAPI
import PhotoModel

extension WriterTurn {
    /// How many of an album's next memberships fit into one turn, at least one if there are any.
    ///
    /// States differ by a factor of thousands: fields that this version does not know keep what devices wrote to them.
    ///
    /// - Parameters:
    ///   - assets: their assets.
    ///   - album: the album.
    ///   - isAddition: whether the album's own state is read as well.
    ///   - view: the view they are judged by; a limited one reads the assets' documents.
    ///   - database: the turn's transaction.
    /// - Returns: the number.
    /// - Throws: the database's error.
    static func count(
        of assets: some Collection<AssetID>,
        in album: AlbumID,
        isAddition: Bool = false,
        judgedBy view: LibraryView,
        _ database: any SQLSession
    ) throws -> Int {
        let next = Array(assets.prefix(ByteList.count))
        guard !next.isEmpty else { return 0 }
        var turn = WriterTurn()
        if isAddition { turn.count(stateBytes: try EntityTable.stateBytes(of: .album(album), database)) }
        let statement = try database.statement(
            """
            SELECT id, \(database.dialect.documentByteCount) AS document_bytes, (
                SELECT CAST(length(state) AS BIGINT) FROM entity WHERE kind = 5 AND first = ? AND second = asset.id
            ) AS state_bytes FROM asset WHERE id IN \(ByteList.marks)
            """
        )
        let arguments: SQLArguments = [album.blob] + ByteList.arguments(next.map(\.blob))
        var weights: [Data: (document: Int, state: Int)] = [:]
        for row in try statement.rows(arguments) {
            let (id, document, state): (Data, Int, Int?) = (
                try row["id"], try row["document_bytes"], try row["state_bytes"]
            )
            weights[id] = (document, state ?? 0)
        }
        var count = 0
        for asset in next where turn.hasRoom || count == 0 {
            turn.countMembership()
            if let weight = weights[asset.blob] {
                turn.count(stateBytes: weight.state)
                if view != .everything { turn.count(documentBytes: weight.document) }
            }
            count += 1
        }
        return count
    }
}
