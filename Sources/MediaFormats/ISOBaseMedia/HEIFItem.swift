// Pictures in ISO base media files (ISO/IEC 23008-12, "HEIF"): HEIC, AVIF and their kin. The `meta` box lists items,
// each a picture, a tile, a thumbnail, or metadata about another item:
//
//     meta FullBox
//       hdlr 'pict'
//       pitm   the primary item
//       iinf   per item an `infe`: number, type ('hvc1', 'av01', 'grid', 'Exif', 'mime'), content type
//       iloc   per item its extents, in the file (construction method 0) or in `idat` (method 1)
//       iref   references: 'cdsc' metadata -> picture, 'thmb', 'auxl', 'dimg' grid -> tiles
//       iprp   ipco: properties (size, turning, mirroring, codec); ipma: which item has which, in order
//       idat   bytes of small items

/// One item of a HEIF file.
package struct HEIFItem: Hashable, Sendable {
    /// What the offsets of an item's extents refer to (ISO/IEC 14496-12, 8.11.3).
    package enum Construction: Hashable, Sendable {
        /// The file.
        case file
        /// The `idat` box.
        case itemData
        /// Another item, or something newer.
        case unrecognized(UInt8)
    }

    /// The number by which other items refer to it.
    package let id: UInt32
    /// Its type: a codec, `grid`, `iovl`, `Exif`, `mime`.
    package let type: FourCharacterCode
    /// The media type of a `mime` item.
    package let contentType: String?
    /// Whether it is not to be shown by itself.
    package let isHidden: Bool
    /// The ranges of its bytes, in order; empty if none can be found.
    package internal(set) var extents: [FileRange] = []
    /// What its offsets refer to.
    package internal(set) var construction = Construction.file

    /// Whether it is an EXIF block.
    package var isExif: Bool { type == "Exif" }
    /// Whether it is an XMP packet.
    package var isXMP: Bool { type == "mime" && contentType == Self.xmpContentType }

    /// The media type of XMP (ISO 16684-1).
    static let xmpContentType = "application/rdf+xml"
}
