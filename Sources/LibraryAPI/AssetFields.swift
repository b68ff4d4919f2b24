package import PhotoModel
package import Replication

/// How the model's fields map to replicated values.
///
/// - a capture date set by a person: a group of microseconds since 1970 (integer);
/// - a location set by a person: a group of latitude, longitude and altitude (doubles, the last one nothing if
///   unknown);
/// - `nothing` in either removes the override;
/// - the trash: milliseconds since 1970, or nothing;
/// - texts: text, empty if removed; keywords: text; an album's cover: an identifier, or nothing.
package enum AssetFields {
    /// A capture date set by a person.
    package static func value(captureDate: WallTime?) -> FieldValue {
        captureDate.map { .group([.integer($0.microsecondsSince1970)]) } ?? .nothing
    }

    /// A location set by a person.
    package static func value(location: Location?) -> FieldValue {
        location.map { place in
            .group([.double(place.latitude), .double(place.longitude), place.altitude.map { .double($0) } ?? .nothing])
        } ?? .nothing
    }

    /// When something was trashed.
    package static func value(trashedAt: WallTime?) -> FieldValue {
        trashedAt.map { .integer($0.millisecondsSince1970) } ?? .nothing
    }

    /// Applies written fields to an asset; others keep their original values.
    ///
    /// - Parameters:
    ///   - view: the written fields.
    ///   - asset: the original asset.
    ///   - originalLocation: the capture location, which shows again when a person's override is removed.
    package static func apply(_ view: EntityView, to asset: inout Asset, originalLocation: Location?) {
        if case .bool(let flag)? = written(AssetField.favorite, view) { asset.isFavorite = flag }
        if case .bool(let flag)? = written(AssetField.hidden, view) { asset.isHidden = flag }
        if case .integer(let stars)? = written(AssetField.rating, view), let number = Int(exactly: stars) {
            asset.rating = Rating(rawValue: number) ?? asset.rating
        }
        if case .text(let text)? = written(AssetField.title, view) { asset.title = text.isEmpty ? nil : text }
        if case .text(let text)? = written(AssetField.caption, view) { asset.caption = text.isEmpty ? nil : text }
        if let value = written(AssetField.captureDateOverride, view) { asset.captureDateOverride = date(value) }
        if let value = written(AssetField.locationOverride, view) {
            asset.location = location(value) ?? originalLocation
        }
        switch written(AssetField.trashed, view) {
        case .integer(let milliseconds)?: asset.trashedAt = WallTime(millisecondsSince1970: milliseconds)
        case .nothing?: asset.trashedAt = nil
        default: break
        }
        if view.fields.contains(AssetField.keyword) || !asset.keywords.isEmpty {
            asset.keywords = Set(
                view.set(AssetField.keyword).elements.compactMap { element in
                    guard case .text(let text) = element else { return nil }
                    return Keyword(text)
                }
            )
        }
    }

    /// The fields whose superseded values an edit can restore.
    package static let restorable = [
        AssetField.title, AssetField.caption, AssetField.rating, AssetField.favorite, AssetField.hidden,
        AssetField.captureDateOverride, AssetField.locationOverride,
    ]

    /// The edit that writes a value again; nil if edits cannot express it, such as a removed override.
    package static func edit(restoring value: FieldValue, to field: FieldID) -> AssetEdit? {
        var edit = AssetEdit()
        switch (field, value) {
        case (AssetField.title, .text(let text)): edit.title = text
        case (AssetField.caption, .text(let text)): edit.caption = text
        case (AssetField.rating, .integer(let stars)): edit.rating = Int(exactly: stars).flatMap(Rating.init(rawValue:))
        case (AssetField.favorite, .bool(let flag)): edit.isFavorite = flag
        case (AssetField.hidden, .bool(let flag)): edit.isHidden = flag
        case (AssetField.captureDateOverride, let value): edit.captureDateOverride = date(value)
        case (AssetField.locationOverride, let value): edit.location = location(value)
        default: break
        }
        return edit == AssetEdit() ? nil : edit
    }

    /// The album described by a state.
    package static func album(_ id: AlbumID, _ view: EntityView) -> Album {
        var album = Album(id: id, title: "")
        if case .text(let title)? = written(AlbumField.title, view) { album.title = title }
        if case .identifier(let cover)? = written(AlbumField.cover, view) {
            album.coverAssetID = AssetID(rawValue: cover)
        }
        if case .text(let order)? = written(AlbumField.sort, view) { album.order = Album.Order(rawValue: order) }
        return album
    }

    private static func written(_ field: FieldID, _ view: EntityView) -> FieldValue? {
        view.register(field)?.value
    }

    private static func date(_ value: FieldValue) -> WallTime? {
        guard case .group(let parts) = value, case .integer(let microseconds)? = parts.first else { return nil }
        return WallTime(microsecondsSince1970: microseconds)
    }

    private static func location(_ value: FieldValue) -> Location? {
        guard case .group(let parts) = value, parts.count >= 3, case .double(let latitude) = parts[0],
            case .double(let longitude) = parts[1]
        else { return nil }
        guard case .double(let altitude) = parts[2] else { return Location(latitude: latitude, longitude: longitude) }
        return Location(latitude: latitude, longitude: longitude, altitude: altitude)
    }
}

extension AssetEdit {
    /// Writes the edit as a replica's changes; unchanged fields produce none.
    ///
    /// - Parameters:
    ///   - id: the asset.
    ///   - state: the state to write to, which also determines what is superseded.
    ///   - author: who writes.
    /// - Returns: the changes, in order.
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the asset was purged.
    @discardableResult
    package func write(
        to id: AssetID,
        in state: inout ReplicaState,
        by author: inout Author
    ) throws(ReplicationError) -> [Change] {
        let entity = EntityReference.asset(id).id
        var changes: [Change?] = []
        for (field, value) in values { changes.append(try state.set(value, field: field, of: entity, by: &author)) }
        for keyword in addedKeywords ?? [] {
            changes.append(try state.add(.text(keyword.text), to: AssetField.keyword, of: entity, by: &author))
        }
        for keyword in removedKeywords ?? [] {
            changes.append(try state.remove(.text(keyword.text), from: AssetField.keyword, of: entity, by: &author))
        }
        return changes.compactMap(\.self)
    }

    private var values: [(FieldID, FieldValue)] {
        var values: [(FieldID, FieldValue)] = []
        if let title { values.append((AssetField.title, .text(title))) }
        if let caption { values.append((AssetField.caption, .text(caption))) }
        if let rating { values.append((AssetField.rating, .integer(Int64(rating.rawValue)))) }
        if let isFavorite { values.append((AssetField.favorite, .bool(isFavorite))) }
        if let isHidden { values.append((AssetField.hidden, .bool(isHidden))) }
        if let captureDateOverride {
            values.append((AssetField.captureDateOverride, AssetFields.value(captureDate: captureDateOverride)))
        }
        if let location { values.append((AssetField.locationOverride, AssetFields.value(location: location))) }
        if restores == true { values.append((AssetField.trashed, .nothing)) }
        return values
    }
}
