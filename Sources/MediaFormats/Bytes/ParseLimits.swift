/// The limits of parsing untrusted bytes: a named value for every size, count and depth.
///
/// These limits and the size of the input bound all allocation, whatever the input announces.
package struct ParseLimits: Hashable, Sendable {
    /// How deep boxes, elements or directories may nest.
    package var nestingDepth = 32
    /// How many segments, chunks or boxes one file may have.
    package var segments = 65_536
    /// How many directories (IFDs) one TIFF structure may have.
    package var directories = 32
    /// How many entries one directory (IFD) or metadata list may have.
    package var directoryEntries = 4096
    /// The longest single metadata value that is copied out, in bytes.
    package var valueBytes = 1 << 20
    /// The longest XMP packet, in bytes.
    package var packetBytes = 8 << 20
    /// How many elements one XMP packet may have.
    package var elements = 65_536
    /// How many items one list inside a value may have (keywords, container items, tracks).
    package var listItems = 4096
    /// How many entries a sample table may have.
    package var tableEntries = 4 << 20

    /// The limits for files from any source.
    package static let standard = ParseLimits()

    /// The standard limits, to be adjusted one by one.
    package init() {}
}
