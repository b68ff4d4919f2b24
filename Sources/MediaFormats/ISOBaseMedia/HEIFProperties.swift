package import PhotoModel

/// The properties of one item's picture (`iprp`, ISO/IEC 23008-12, 6.5, 9.3).
package struct HEIFProperties: Hashable, Sendable {
    /// The size before rotation and mirroring (`ispe`).
    package internal(set) var codedSize: PixelSize?
    /// Rotation and mirroring combined, in file order (`irot`, `imir`).
    package internal(set) var orientation = ImageOrientation.up
    /// Bits of each channel (`pixi`).
    package internal(set) var bitsPerChannel: [UInt8] = []
    /// The purpose of an auxiliary picture, as a URN (`auxC`).
    package internal(set) var auxiliaryType: String?

    /// The size as shown.
    package var displaySize: PixelSize? {
        orientation.isTransposed ? codedSize?.transposed : codedSize
    }
}

extension HEIFProperties {
    /// Reads the properties of all items of an `iprp` box.
    static func byItem(
        _ box: Box,
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [UInt32: HEIFProperties] {
        let children = try bytes.children(of: box, limits: limits)
        guard let container = children.first(ofType: "ipco") else { return [:] }
        let properties = try bytes.children(of: container, limits: limits)
        var found: [UInt32: HEIFProperties] = [:]
        // Each is read once: hundreds of thousands of associations may name a long one.
        var known: [Int: Property] = [:]
        var itemCount = 0
        for association in children.all(ofType: "ipma") {
            for (item, indices) in try associations(association, of: bytes, limits: limits) {
                itemCount += 1
                guard itemCount <= limits.listItems else {
                    throw MediaFormatError(.limitExceeded, "too many items with properties", at: box.range.offset)
                }
                for index in indices where properties.indices.contains(index - 1) {
                    let property: Property
                    if let read = known[index] {
                        property = read
                    } else {
                        property = try Property(properties[index - 1], of: bytes, limits: limits)
                        known[index] = property
                    }
                    found[item, default: HEIFProperties()].take(property)
                }
            }
        }
        return found
    }

    /// Reads an `ipma` box: per item the 1-based numbers of its properties, without their "essential" bit.
    private static func associations(
        _ box: Box,
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [(item: UInt32, indices: [Int])] {
        var reader = ByteReader(box.payload)
        let header = try FullBoxHeader(&reader, from: bytes)
        let isWide = header.flags & 1 == 1
        let count: UInt32 = try reader.read(from: bytes)
        guard count <= limits.listItems else {
            throw MediaFormatError(.limitExceeded, "too many items with properties", at: box.range.offset)
        }
        var found: [(item: UInt32, indices: [Int])] = []
        for _ in 0..<count {
            let item = try reader.itemNumber(isWide: header.version >= 1, from: bytes)
            var indices: [Int] = []
            for _ in 0..<(try reader.read(UInt8.self, from: bytes)) {
                if isWide {
                    indices.append(Int(try reader.read(UInt16.self, from: bytes) & 0x7FFF))
                } else {
                    indices.append(Int(try reader.read(UInt8.self, from: bytes) & 0x7F))
                }
            }
            found.append((item, indices))
        }
        return found
    }

    private mutating func take(_ property: Property) {
        switch property {
        case .size(let size): codedSize = size
        case .turn(let turn): orientation = orientation.followed(by: turn)
        case .channels(let bits): bitsPerChannel = bits
        case .purpose(let text): auxiliaryType = text
        case .other: break
        }
    }

    /// One property of `ipco`.
    private enum Property {
        case size(PixelSize)
        case turn(ImageOrientation)
        case channels([UInt8])
        case purpose(String)
        case other

        init(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
            var reader = ByteReader(box.payload)
            switch box.type {
            case "ispe":
                _ = try FullBoxHeader(&reader, from: bytes)
                let width: UInt32 = try reader.read(from: bytes)
                let height: UInt32 = try reader.read(from: bytes)
                self = .size(PixelSize(width: Int(width), height: Int(height)))
            case "irot":
                // Quarter turns anticlockwise.
                let turns: [ImageOrientation] = [.up, .left, .down, .right]
                self = .turn(turns[Int(try reader.read(UInt8.self, from: bytes) & 3)])
            case "imir":
                // 0 exchanges top and bottom, 1 left and right (ISO/IEC 23008-12:2022, 6.5.12).
                let isHorizontal = try reader.read(UInt8.self, from: bytes) & 1 == 1
                self = .turn(isHorizontal ? .upMirrored : .downMirrored)
            case "pixi":
                _ = try FullBoxHeader(&reader, from: bytes)
                let channels: UInt8 = try reader.read(from: bytes)
                self = .channels(try bytes.copyBytes(in: try reader.take(channels), limit: limits.valueBytes))
            case "auxC":
                _ = try FullBoxHeader(&reader, from: bytes)
                self = .purpose(try bytes.text(in: reader.remainingRange, limits: limits))
            default:
                self = .other
            }
        }
    }
}
