extension XMPProperties {
    /// Reads a JPEG's XMP, for which the header is enough; nil if absent or unreadable.
    init?(ofJPEG bytes: RawSpan, limits: ParseLimits) {
        guard let header = try? JPEGHeader(bytes, limits: limits), let packet = header.xmpPackets(in: bytes).first,
            let properties = try? XMPProperties(bytes, packet: packet, limits: limits)
        else { return nil }
        self = properties
    }

    /// How many bytes before the end of the file the movie may begin, likeliest first.
    ///
    /// The format adds up the parts after the still; writers disagree on whether padding counts.
    var movieLengths: [Int] {
        var lengths: [Int] = []
        if let index = containerItems.firstIndex(where: { $0.semantic == MotionPhoto.semantic }) {
            let parts = containerItems[index...]
            let length = parts.reduce(0) { Self.sum($0, $1.length) }
            lengths += [length, parts.reduce(length) { Self.sum($0, $1.padding) }]
        }
        if let offset = motionPhoto.microVideoOffset { lengths.append(offset) }
        return lengths
    }

    /// The still's time in the movie; nil if not given.
    var stillTime: Duration? {
        guard let microseconds = motionPhoto.presentationTimestampMicroseconds, microseconds >= 0 else { return nil }
        return .microseconds(microseconds)
    }

    /// Saturates, since the numbers come from the file.
    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows || sum < 0 ? .max : sum
    }
}

extension MotionPhoto {
    /// The movie's name in the container directory.
    static let semantic = "MotionPhoto"

    /// Extends an XMP packet by the properties of a Motion Photo, or makes a new one if there is none that can be read.
    static func packet(extending old: [UInt8]?, with added: XMPProperties, limits: ParseLimits) -> [UInt8] {
        let fresh = added.packet()
        guard let old, let description = freshDescription(fresh, limits: limits) else { return fresh }
        return old.withBytes { bytes in
            guard let tree = try? XMLTree(bytes, document: bytes.fullRange, limits: limits),
                let root = tree.elements.first(where: { $0.name == XMLName(.rdf, "RDF") }),
                let last = root.children.last.map({ tree.elements[$0].range.end })
            else { return fresh }
            let replaced = replacedRanges(of: tree, root: root).sorted {
                ($0.offset, -$0.length) < ($1.offset, -$1.length)
            }
            var packet: [UInt8] = []
            var place = 0
            for range in replaced where range.offset >= place && range.end <= last {
                packet += old[place..<range.offset]
                place = range.end
            }
            return packet + old[place..<last] + description + old[last...]
        }
    }

    /// The only `rdf:Description` of a packet of ours, with the prefix it needs.
    private static func freshDescription(_ packet: [UInt8], limits: ParseLimits) -> [UInt8]? {
        packet.withBytes { bytes in
            guard let tree = try? XMLTree(bytes, document: bytes.fullRange, limits: limits),
                let element = tree.elements.first(where: { $0.name == XMLName(.rdf, "Description") })
            else { return nil }
            let opening = "<rdf:Description"
            return Array("\n  \(opening) xmlns:rdf=\"\(XMPNamespace.rdf.rawValue)\"".utf8)
                + packet[element.range.bounds].dropFirst(opening.utf8.count)
        }
    }

    /// What to remove from an old packet: properties of a Motion Photo, and descriptions that hold nothing else.
    private static func replacedRanges(of tree: XMLTree, root: XMLTree.Element) -> [FileRange] {
        var ranges: [FileRange] = []
        for element in tree.elements {
            if isReplaced(element.name) { ranges.append(element.range) }
            ranges += element.attributes.filter { isReplaced($0.name) }.map(\.range)
        }
        for description in root.children.map({ tree.elements[$0] }) {
            let children = description.children.map { tree.elements[$0].name }
            let attributes = description.attributes.map(\.name).filter { $0 != XMLName(.rdf, "about") }
            if (children + attributes).allSatisfy(isReplaced) { ranges.append(description.range) }
        }
        return ranges
    }

    /// Whether a property describes a Motion Photo.
    private static func isReplaced(_ name: XMLName) -> Bool {
        switch name.namespace {
        case .googleCamera:
            name.local.hasPrefix("MotionPhoto") || name.local.hasPrefix("MicroVideo")
        case .googleContainer:
            name.local == "Directory"
        default:
            false
        }
    }
}
