import MediaFormats
import MediaSamples
import TestSupport
import Testing

struct XMPTests {
    private static func read(_ packet: [UInt8]) throws(MediaFormatError) -> XMPProperties {
        try packet.withBytes { bytes throws(MediaFormatError) in
            try XMPProperties(bytes, packet: bytes.fullRange)
        }
    }

    /// A packet with this inside its RDF, all namespaces declared.
    private static func packet(_ rdf: String) -> [UInt8] {
        let namespaces = [
            "xmlns:x=\"adobe:ns:meta/\"", "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"",
            "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"", "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"",
            "xmlns:exif=\"http://ns.adobe.com/exif/1.0/\"", "xmlns:pic=\"http://ns.adobe.com/photoshop/1.0/\"",
            "xmlns:C=\"http://ns.google.com/photos/1.0/container/\"",
            "xmlns:I=\"http://ns.google.com/photos/1.0/container/item/\"",
        ]
        return Array("<x:xmpmeta \(namespaces.joined(separator: " "))><rdf:RDF>\(rdf)</rdf:RDF></x:xmpmeta>".utf8)
    }

    @Test("What is written is read back; the same values give the same bytes")
    func roundTrip() {
        checkProperty("read(write(x)) == x", cases: 400) { generator, size in
            var samples = SampleMetadata(generator)
            let xmp = samples.xmp()
            let packet = xmp.packet(padding: size)
            guard packet == xmp.packet(padding: size) else { return "writing twice gives other bytes" }
            let again = try Self.read(packet)
            if let before = xmp.latitude, let after = again.latitude, abs(before - after) > 1e-9 {
                return "latitude \(before) became \(after)"
            }
            // Coordinates are compared above; everything else must be the same to the bit.
            var (left, right) = (xmp, again)
            (left.latitude, left.longitude, right.latitude, right.longitude) = (nil, nil, nil, nil)
            return left == right ? nil : "\(again) instead of \(xmp)"
        }
    }

    @Test("T36: any text comes back unchanged, and none of it becomes markup")
    func hostileText() throws {
        for text in [
            "<script>alert(1)</script>", "]]><rdf:li>", "\" onload=\"x", "&#x26;lt;", "a\tb\nc\rd", "\u{202E}x",
        ] {
            var xmp = XMPProperties()
            xmp.title = text
            xmp.keywords = [text, text]
            #expect(try Self.read(xmp.packet()) == xmp)
        }
        var control = XMPProperties()
        control.title = "a\u{1B}[2Jb"
        #expect(try Self.read(control.packet()).title == "a\u{FFFD}[2Jb")
    }

    @Test("Attributes and elements, other prefixes, several descriptions: the same properties")
    func forms() throws {
        let attributes = try Self.read(
            Self.packet("<rdf:Description rdf:about='' xmp:Rating='3' pic:City='Bern' exif:GPSLatitude='46,56.88N'/>")
        )
        let elements = try Self.read(
            Self.packet(
                "<rdf:Description><xmp:Rating> 3\n</xmp:Rating><pic:City><![CDATA[Bern]]></pic:City></rdf:Description>"
                    + "<!-- two --><rdf:Description exif:GPSLatitude=\"46,56,52.8N\"/>"
            )
        )
        #expect(attributes.rating == 3)
        #expect(attributes.place.city == "Bern")
        #expect(abs((attributes.latitude ?? 0) - 46.948) < 1e-9)
        #expect(elements.rating == attributes.rating)
        #expect(elements.place == attributes.place)
        #expect(abs((elements.latitude ?? 0) - 46.948) < 1e-9)
    }

    @Test("The default language is taken before others")
    func languages() throws {
        let items = "<rdf:li xml:lang='de'>Titel</rdf:li><rdf:li xml:lang='x-default'>Title</rdf:li>"
        let xmp = try Self.read(
            Self.packet("<rdf:Description><dc:title><rdf:Alt>\(items)</rdf:Alt></dc:title></rdf:Description>")
        )
        #expect(xmp.title == "Title")
    }

    @Test("Container items are read in the form Google writes and in the shorter one")
    func containers() throws {
        let item = "I:Mime='video/mp4' I:Semantic='MotionPhoto' I:Length='77'"
        let long = "<rdf:li rdf:parseType='Resource'><C:Item \(item)/></rdf:li>"
        let xmp = try Self.read(
            Self.packet(
                "<rdf:Description><C:Directory><rdf:Seq>\(long)<rdf:li \(item)/></rdf:Seq></C:Directory></rdf:Description>"
            )
        )
        let expected = XMPContainerItem(mime: "video/mp4", semantic: "MotionPhoto", length: 77)
        #expect(xmp.containerItems == [expected, expected])
    }

    @Test("T37: document types, unknown entities and XML that is not well-formed are refused")
    func refused() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
        let documents = [
            bomb + String(decoding: Self.packet(""), as: UTF8.self),
            String(decoding: Self.packet("<rdf:Description xmp:Rating='&b;'/>"), as: UTF8.self),
            String(decoding: Self.packet("<rdf:Description>"), as: UTF8.self),
            String(decoding: Self.packet("<rdf:Description xmp:Rating=3/>"), as: UTF8.self),
            String(decoding: Self.packet("<rdf:Description nobody:Rating='3'/>"), as: UTF8.self),
            String(decoding: Self.packet("&#0;"), as: UTF8.self),
            String(decoding: Self.packet("&#xD800;"), as: UTF8.self),
            "<a/><b/>", "<a></b>", "text", "", "<a:b:c/>", "<a", "<!--",
        ]
        for document in documents {
            #expect(throws: MediaFormatError.self, "\(document)") { try Self.read(Array(document.utf8)) }
        }
    }

    @Test("T37: depth, number of elements and length are capped")
    func capped() throws {
        let deep = String(repeating: "<a>", count: 100_000)
        let wide = String(repeating: "<dc:a/>", count: 70_000)
        for document in [Array(deep.utf8), Self.packet(wide), Array(repeating: 0x20, count: 9 << 20)] {
            let error = #expect(throws: MediaFormatError.self) { try Self.read(document) }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test("T37: as many elements in one another as the limit are read, and one more is refused")
    func nested() throws {
        func packet(depth: Int) -> [UInt8] {
            // Two elements are around them.
            let count = depth - 2
            return Self.packet(
                String(repeating: "<dc:a>", count: count) + String(repeating: "</dc:a>", count: count)
            )
        }
        let limit = ParseLimits.standard.nestingDepth
        _ = try Self.read(packet(depth: limit))
        for depth in [limit + 1, 1000] {
            let error = #expect(throws: MediaFormatError.self) { try Self.read(packet(depth: depth)) }
            #expect(error?.code == .limitExceeded, "\(depth)")
        }
    }

    @Test("T37: time grows with the length, not with its square", arguments: ["<dc:a/>", "x", "&amp;", "<!---->"])
    func linear(piece: String) throws {
        func time(_ count: Int) throws -> Duration {
            let packet = Self.packet(String(repeating: piece, count: count))
            return try (0..<3).map { _ in
                let start = threadTime()
                _ = try Self.read(packet)
                return threadTime() - start
            }.min() ?? .zero
        }
        // Ten times the length would take a hundred times as long if anything were quadratic.
        let (short, long) = (try time(2000), try time(20_000))
        #expect(long < short * 40)
    }
}
