/// What to remove from a file's metadata.
package enum MetadataRemoval: Sendable {
    /// Where the picture or movie was taken.
    case location
    /// People's texts: titles, captions, descriptions, keywords and comments. Unknown fields are removed too.
    case captions
}
