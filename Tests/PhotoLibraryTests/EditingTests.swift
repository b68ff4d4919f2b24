import Authorization
import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
import Testing

struct EditingTests {
    private static let adjustment = Adjustment(formatIdentifier: "org.example.crop", formatVersion: "2")

    /// A library's side of an edit: what was described, and the bytes that came.
    private final class Desk: Sendable {
        struct State {
            var described: AdjustmentRequest?
            var received: [ResourceID: [UInt8]] = [:]
        }

        let state = Mutex(State())
        let asset: Asset
        /// Bytes that the first upload has already.
        let start: Int

        init(_ asset: Asset, start: Int = 0) {
            self.asset = asset
            self.start = start
        }

        func answer(_ request: TransportRequest) throws -> TransportResponse {
            if request.method == "DELETE" { return try json(asset) }
            if request.method == "PATCH" { return append(request) }
            guard case .bytes(let bytes) = request.body else { return TransportResponse(status: 400) }
            let described = try JSONDecoder().decode(AdjustmentRequest.self, from: Data(bytes))
            return try state.withLock { state in
                let isFirst = state.described == nil
                #expect(isFirst || state.described == described, "the same edit is the same description")
                state.described = described
                guard isFirst else {
                    var edited = asset
                    edited.adjustment = described.adjustment
                    return try json(AdjustmentResponse(uploads: [], asset: edited))
                }
                let uploads = described.resources.enumerated().map { index, resource in
                    UploadStatus(
                        id: UploadID(rawValue: resource.id.rawValue),
                        resourceID: resource.id,
                        offset: index == 1 ? Int64(start) : 0,
                        length: resource.byteCount,
                        isComplete: false,
                        expires: LibraryBench.now
                    )
                }
                return try json(AdjustmentResponse(uploads: uploads))
            }
        }

        private func append(_ request: TransportRequest) -> TransportResponse {
            guard case .source(let source) = request.body, let id = ResourceID(String(request.target.suffix(36))),
                let bytes = try? source.read(0, Int(source.byteCount))
            else { return TransportResponse(status: 400) }
            let headers = UploadHeaders { name in request.fields.first { $0.name == name }?.value }
            #expect(headers.contentDigest == ContentHasher.digest(bytes))
            state.withLock { $0.received[id, default: []] += bytes }
            let end = (headers.offset ?? 0) + source.byteCount
            return TransportResponse(
                status: 204,
                fields: UploadHeaders(offset: end, isComplete: headers.isComplete).fields
            )
        }

        private func json(_ value: some Encodable) throws -> TransportResponse {
            TransportResponse(
                status: 200,
                fields: [("Content-Type", "application/json")],
                body: Array(try JSONEncoder().encode(value))
            )
        }
    }

    private static func bench(_ desk: Desk) throws -> LibraryBench {
        try LibraryBench { request throws(TransportError) in
            do {
                return try desk.answer(request)
            } catch {
                throw TransportError(.localFailure, "\(error)")
            }
        }
    }

    @Test("An edit goes to the library as its data and its renderings, and goes on behind what was sent before")
    func applied() async throws {
        let desk = Desk(LibraryBench.asset(1), start: 50)
        let bench = try Self.bench(desk)
        let rendering = try bench.file("edited.jpg", LibraryBench.jpeg)
        let movie = try bench.file("edited.mov", LibraryBench.movie)
        var output = ContentEditingOutput(
            AdjustmentData(Self.adjustment, data: Data([1, 2, 3])),
            renderedContentURL: rendering
        )
        output.renderedPairedVideoURL = movie
        let edited = try await bench.library.applyEdit(output, to: desk.asset.id)
        #expect(edited.adjustment == Self.adjustment)
        let state = desk.state.withLock(\.self)
        let resources = try #require(state.described).resources
        #expect(resources.map(\.type) == [.adjustmentData, .fullSizePhoto, .fullSizePairedVideo])
        #expect(resources.map(\.contentType) == ["application/octet-stream", "image/jpeg", "video/quicktime"])
        #expect(
            resources.map { state.received[$0.id] } == [
                [1, 2, 3], Array(LibraryBench.jpeg[50...]), LibraryBench.movie,
            ]
        )
        #expect(Set(resources.map(\.id)).count == 3)
        #expect(try await bench.library.revertToOriginal(desk.asset.id) == desk.asset)
        #expect(bench.transport.requests.last == "DELETE /v1/assets/\(desk.asset.id)/adjustments")
    }

    @Test("A rendering that is neither picture nor movie, or is empty, is refused before anything is sent")
    func refused() async throws {
        let desk = Desk(LibraryBench.asset(1))
        let bench = try Self.bench(desk)
        for bytes in [Array("a text".utf8), []] {
            let output = ContentEditingOutput(
                AdjustmentData(Self.adjustment, data: Data([1])),
                renderedContentURL: try bench.file("edited-\(bytes.count)", bytes)
            )
            let error = await #expect(throws: PhotoLibraryError.self) {
                try await bench.library.applyEdit(output, to: desk.asset.id)
            }
            #expect(error?.code == .invalid)
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test("How an asset was edited comes with the bytes of its format; one that was not edited has none")
    func input() async throws {
        let bytes: [UInt8] = [7, 8, 9]
        let bench = try LibraryBench { _ in TransportResponse(status: 200, body: bytes) }
        var asset = LibraryBench.asset(1)
        #expect(try await bench.library.adjustmentData(of: asset) == nil)
        asset.adjustment = Self.adjustment
        asset.resources = [
            AssetResource(
                id: ResourceID(rawValue: 7),
                type: .adjustmentData,
                digest: ContentHasher.digest(bytes),
                byteCount: 3,
                contentType: "application/octet-stream"
            )
        ]
        let data = try await bench.library.adjustmentData(of: asset)
        #expect(data == AdjustmentData(Self.adjustment, data: Data(bytes)))
    }
}
