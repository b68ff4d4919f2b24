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
    /// What holds the offsets of an item's extents (ISO/IEC 14496-12, 8.11.3).
    package enum Construction: Hashable, Sendable {
        /// The file.
        case file
        /// The `idat` box.
        case itemData
        /// Another item, or something newer.
        case unrecognized(UInt8)
    }

    /// The number other items refer to it by.
    package let id: UInt32
    /// What it is: a codec, `grid`, `iovl`, `Exif`, `mime`.
    package let type: FourCharacterCode
    /// The media type of a `mime` item.
    package let contentType: String?
    /// True when it is not to be shown by itself.
    package let isHidden: Bool
    /// Where its bytes are, in order; empty when it has none that can be found.
    package internal(set) var extents: [FileRange] = []
    /// What its offsets count from.
    package internal(set) var construction = Construction.file

    /// True for an EXIF block.
    package var isExif: Bool { type == "Exif" }
    /// True for an XMP packet.
    package var isXMP: Bool { type == "mime" && contentType == Self.xmpContentType }

    /// The media type of XMP (ISO 16684-1).
    static let xmpContentType = "application/rdf+xml"
}
