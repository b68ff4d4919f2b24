/// The description of a timed metadata track (`mebx`, QuickTime File Format, "Timed metadata media").
///
///     mebx   6 reserved bytes, data reference 16
///       keys   (without version or count)
///         NNNN   a box whose type is the local number of the key
///           keyd   namespace 'mdta', name
///           dtyp   namespace 32, well-known type 32
enum TimedMetadata {
    /// The names of the keys by their local number.
    static func keys(
        _ description: Box,
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [UInt32: String] {
        var found: [UInt32: String] = [:]
        let children = try bytes.boxes(in: description.payload.dropping(8), limits: limits)
        guard let keys = children.first(ofType: "keys") else { return [:] }
        for key in try bytes.children(of: keys, limits: limits) {
            guard found.count < limits.listItems else {
                throw MediaFormatError(.limitExceeded, "a track has too many keys", at: key.range.offset)
            }
            guard let name = try bytes.children(of: key, limits: limits).first(ofType: "keyd") else { continue }
            found[key.type.rawValue] = try bytes.text(in: name.payload.dropping(4), limits: limits)
        }
        return found
    }
}
