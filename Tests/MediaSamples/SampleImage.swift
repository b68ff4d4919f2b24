package import MediaFormats

/// Small HEIF files written box by box.
package struct SampleImage {
    /// One item with its bytes.
    package struct Item {
        let id: UInt16
        let type: FourCharacterCode
        let contentType: String
        /// What it holds.
        package let bytes: [UInt8]
        let isInItemData: Bool
        let auxiliaryType: String?

        /// Describes an item; `isInItemData` puts it into `idat`, and a URN makes it an auxiliary picture of item 1.
        package init(
            id: UInt16,
            type: FourCharacterCode,
            contentType: String = "",
            bytes: [UInt8],
            isInItemData: Bool = false,
            auxiliaryType: String? = nil
        ) {
            self.id = id
            self.type = type
            self.contentType = contentType
            self.bytes = bytes
            self.isInItemData = isInItemData
            self.auxiliaryType = auxiliaryType
        }
    }

    private let brand: FourCharacterCode = "heic"
    /// The items, the picture first.
    package var items: [Item] = [
        Item(id: 1, type: "hvc1", bytes: Array(repeating: 0x11, count: 50)),
        Item(id: 2, type: "Exif", bytes: [0, 0, 0, 0] + SampleImage.exifBlock),
    ]
    /// Boxes of `ipco` after `ispe`, all of which item 1 has.
    package var properties: [[UInt8]] = []
    /// The version of `iloc`.
    package var locationVersion: UInt8 = 1
    /// Puts `mdat` before `meta`, as Samsung does.
    package var hasMediaFirst = false
    /// Boxes behind all others.
    package var trailer: [UInt8] = []

    /// A picture of 400 by 300 pixels, turned by EXIF only, with a place.
    package init() {}

    /// Big-endian, with a GPS directory whose pointer stands between two other entries.
    package static let exifBlock: [UInt8] = {
        var writer = ByteWriter()
        writer.append("MM")
        writer.append(UInt16(42))
        writer.append(UInt32(8))
        writer.append(UInt16(3))
        // Orientation 6, GPS pointer, one more entry behind it.
        for (tag, type, value) in [(0x0112, 3, 6 << 16), (0x8825, 4, 50), (0x9999, 3, 7 << 16)] {
            writer.append(UInt16(tag))
            writer.append(UInt16(type))
            writer.append(UInt32(1))
            writer.append(UInt32(value))
        }
        writer.append(UInt32(0))
        // GPS: latitude reference and latitude.
        writer.append(UInt16(2))
        writer.append(UInt16(1))
        writer.append(UInt16(2))
        writer.append(UInt32(2))
        writer.append("N\0\0\0")
        writer.append(UInt16(2))
        writer.append(UInt16(5))
        writer.append(UInt32(3))
        writer.append(UInt32(80))
        writer.append(UInt32(0))
        for number in [41, 1, 13, 1, 1308, 100] as [UInt32] { writer.append(number) }
        return writer.bytes
    }()

    /// The file.
    package var bytes: [UInt8] {
        var head = ByteWriter()
        head.appendBox("ftyp") { $0.append("\(brand)\0\0\0\0mif1\(brand)") }
        let stored = items.filter { !$0.isInItemData }
        var media = ByteWriter()
        media.appendBox("mdat") { writer in
            for item in stored { writer.append(item.bytes) }
        }
        let metaLength = meta(mediaStart: 0).count
        let mediaStart = head.count + (hasMediaFirst ? 0 : metaLength) + 8
        let meta = meta(mediaStart: mediaStart)
        return head.bytes + (hasMediaFirst ? media.bytes + meta : meta + media.bytes) + trailer
    }

    private func meta(mediaStart: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendFullBox("meta") { writer in
            writer.appendFullBox("hdlr") { $0.append("\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0") }
            writer.appendFullBox("pitm") { $0.append(UInt16(1)) }
            writer.appendFullBox("iinf") { writer in
                writer.append(UInt16(items.count))
                for item in items {
                    writer.appendFullBox("infe", version: 2) { writer in
                        writer.append(item.id)
                        writer.append(UInt16(0))
                        writer.append(item.type.rawValue)
                        writer.append("\0")
                        if item.type == "mime" { writer.append(item.contentType + "\0") }
                    }
                }
            }
            writer.appendFullBox("iref") { writer in
                for item in items.dropFirst() {
                    let purpose: FourCharacterCode = item.auxiliaryType == nil ? "cdsc" : "auxl"
                    writer.appendBox(purpose) { for number in [item.id, 1, 1] { $0.append(number) } }
                }
            }
            writer.appendBox("iprp") { appendProperties(to: &$0) }
            writer.appendBox("idat") { writer in
                for item in items where item.isInItemData { writer.append(item.bytes) }
            }
            appendLocations(mediaStart: mediaStart, to: &writer)
        }
        return writer.bytes
    }

    private func appendProperties(to writer: inout ByteWriter) {
        let auxiliaries = items.filter { $0.auxiliaryType != nil }
        writer.appendBox("ipco") { writer in
            writer.appendFullBox("ispe") { writer in
                writer.append(UInt32(400))
                writer.append(UInt32(300))
            }
            for property in properties { writer.append(property) }
            for item in auxiliaries {
                writer.appendFullBox("auxC") { $0.append((item.auxiliaryType ?? "") + "\0") }
            }
        }
        writer.appendFullBox("ipma") { writer in
            writer.append(UInt32(1 + auxiliaries.count))
            writer.append(UInt16(1))
            writer.append(UInt8(properties.count + 1))
            for index in 0...properties.count { writer.append(UInt8(0x80 | index + 1)) }
            for (index, item) in auxiliaries.enumerated() {
                writer.append(item.id)
                writer.append(UInt8(1))
                writer.append(UInt8(0x80 | properties.count + 2 + index))
            }
        }
    }

    private func appendLocations(mediaStart: Int, to writer: inout ByteWriter) {
        writer.appendFullBox("iloc", version: locationVersion) { writer in
            writer.append(UInt16(0x4440))
            if locationVersion == 2 {
                writer.append(UInt32(items.count))
            } else {
                writer.append(UInt16(items.count))
            }
            var inFile = 0
            var inItemData = 0
            for item in items {
                if locationVersion == 2 { writer.append(UInt32(item.id)) } else { writer.append(item.id) }
                if locationVersion > 0 { writer.append(UInt16(item.isInItemData ? 1 : 0)) }
                writer.append(UInt16(0))
                // Base offset, number of extents, offset, length.
                writer.append(UInt32(item.isInItemData ? 0 : mediaStart))
                writer.append(UInt16(1))
                writer.append(UInt32(item.isInItemData ? inItemData : inFile))
                writer.append(UInt32(item.bytes.count))
                if item.isInItemData { inItemData += item.bytes.count } else { inFile += item.bytes.count }
            }
        }
    }
}
