import LibraryAPI
import TestSupport
import Testing

struct BatchParserTests {
    private enum Piece: Equatable {
        case manifest([UInt8])
        case resource([UInt8])
        case end
    }

    private func batch(_ manifests: [[UInt8]], _ resources: [[UInt8]]) -> [UInt8] {
        var bytes = BatchFraming.magic
        for manifest in manifests { bytes += BatchFraming.head(.manifest, byteCount: Int64(manifest.count)) + manifest }
        for resource in resources { bytes += BatchFraming.head(.resource, byteCount: Int64(resource.count)) + resource }
        return bytes + BatchFraming.head(.end, byteCount: 0)
    }

    private func parse(_ chunks: [ArraySlice<UInt8>]) throws -> [Piece] {
        var parser = BatchParser()
        var pieces: [Piece] = []
        var open: [UInt8] = []
        for var chunk in chunks {
            while let event = try parser.next(&chunk) {
                switch event {
                case .manifest(let bytes): pieces.append(.manifest(bytes))
                case .resourceBegins: open = []
                case .resourceBytes(let part): open += part
                case .resourceEnds: pieces.append(.resource(open))
                case .end: pieces.append(.end)
                }
            }
        }
        try parser.finish()
        return pieces
    }

    @Test("a batch is read the same however it is cut")
    func anyChunking() {
        checkProperty("chunking") { generator, size in
            let manifests = (0..<1 + generator.below(3)).map { _ in generator.bytes(generator.below(size)) }
            let resources = (0..<1 + generator.below(4)).map { _ in generator.bytes(generator.below(3 * size)) }
            let bytes = batch(manifests, resources)
            guard
                BatchFraming.byteCount(manifests: manifests.map(\.count), resources: resources.map { Int64($0.count) })
                    == Int64(bytes.count)
            else { return "the announced count is wrong" }
            var chunks: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(generator.below(size + 1))
                chunks.append(part)
                rest = rest.dropFirst(part.count)
            }
            let expected = manifests.map(Piece.manifest) + resources.map(Piece.resource) + [.end]
            return try parse(chunks) == expected ? nil : "read differently"
        }
    }

    @Test("hostile lengths and orders are refused before anything is allocated for them")
    func hostile() {
        let magic = BatchFraming.magic
        func head(_ kind: BatchFraming.FrameKind, _ count: Int64) -> [UInt8] {
            BatchFraming.head(kind, byteCount: count)
        }
        let cases: [([UInt8], BatchProblem)] = [
            (Array("TTBATCH2".utf8), .notABatch),
            (magic + head(.manifest, -1), .tooLarge),
            (magic + head(.manifest, Int64.max), .tooLarge),
            (magic + head(.manifest, Int64(APILimits.manifestByteCount) + 1), .tooLarge),
            (magic + head(.resource, 1), .unexpectedFrame(0x52)),
            (magic + head(.end, 0), .unexpectedFrame(0x45)),
            (magic + head(.manifest, 0) + head(.resource, 0) + head(.manifest, 0), .unexpectedFrame(0x4D)),
            (magic + head(.manifest, 0) + head(.resource, 0) + head(.end, 1), .unexpectedFrame(0x45)),
            (magic + head(.manifest, 0) + head(.resource, APILimits.batchByteCount), .tooLarge),
            (magic + head(.manifest, 0) + head(.resource, APILimits.batchResourceByteCount + 1), .tooLarge),
            (magic + [0, 0, 0, 0, 0, 0, 0, 0, 0], .unexpectedFrame(0)),
            (batch([[1]], [[2]]) + [0], .trailingBytes),
            (magic + (0...APILimits.batchAssetCount).flatMap { _ in head(.manifest, 0) }, .tooLarge),
            (magic, .truncated), ([], .truncated), (Array(batch([[1]], [[2]]).dropLast()), .truncated),
        ]
        for (bytes, problem) in cases {
            #expect(throws: problem) { try parse([bytes[...]]) }
        }
    }

    @Test("no bytes make the parser trap")
    func noise() {
        checkProperty("noise", cases: 1000) { generator, size in
            let bytes = batch([generator.bytes(size)], [generator.bytes(size)])
            var damaged = bytes
            for _ in 0..<1 + generator.below(3) {
                damaged[generator.below(damaged.count)] = UInt8(generator.below(256))
            }
            _ = try? parse([damaged[...]])
            return nil
        }
    }
}
