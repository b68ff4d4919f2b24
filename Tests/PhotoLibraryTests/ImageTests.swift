import Authorization
import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
import Testing

struct ImageTests {
    private static func resource(_ type: AssetResourceType, _ bytes: [UInt8]) -> AssetResource {
        AssetResource(
            id: ResourceID(rawValue: UInt128(type.rawValue)),
            type: type,
            digest: ContentHasher.digest(bytes),
            byteCount: Int64(bytes.count),
            contentType: type == .pairedVideo ? "video/quicktime" : "image/jpeg"
        )
    }

    private static func livePhoto(_ size: PixelSize?) -> Asset {
        var asset = LibraryBench.asset(
            1,
            resources: [resource(.photo, LibraryBench.jpeg), resource(.pairedVideo, LibraryBench.movie)]
        )
        asset.pixelSize = size
        return asset
    }

    /// A library that answers each file by what was asked for.
    private static func bench() throws -> LibraryBench {
        try LibraryBench { request in
            let isMovie = request.target.hasSuffix("/resources/\(ResourceID(rawValue: 9))")
            return TransportResponse(status: 200, body: isMovie ? LibraryBench.movie : LibraryBench.jpeg)
        }
    }

    @Test(
        "004.90: a picture is the smallest that is large enough for its target: a thumbnail, or the whole original",
        arguments: [
            (PixelSize(width: 200, height: 200) as PixelSize?, ImageContentMode.aspectFit, "/thumbnail?size=256"),
            (PixelSize(width: 256, height: 1000), .aspectFit, "/thumbnail?size=256"),
            (PixelSize(width: 256, height: 1000), .aspectFill, "/resources/\(ResourceID(rawValue: 1))"),
            (PixelSize(width: 1024, height: 768), .aspectFit, "/thumbnail?size=1024"),
            (PixelSize(width: 1025, height: 1000), .aspectFit, "/resources/\(ResourceID(rawValue: 1))"),
            (nil, .aspectFit, "/resources/\(ResourceID(rawValue: 1))"),
        ]
    )
    func sizes(target: PixelSize?, mode: ImageContentMode, expected: String) async throws {
        let bench = try Self.bench()
        let asset = Self.livePhoto(PixelSize(width: 4000, height: 3000))
        let file = try await bench.library.requestImage(for: asset, targetSize: target, contentMode: mode)
        #expect(try Data(contentsOf: file) == Data(LibraryBench.jpeg))
        #expect(bench.transport.requests == ["GET /v1/assets/\(asset.id)\(expected)"])
    }

    @Test("A picture that is smaller than its target is not fetched whole for that; a movie has its thumbnails alone")
    func smallPictures() async throws {
        let bench = try Self.bench()
        let large = PixelSize(width: 5000, height: 5000)
        let small = Self.livePhoto(PixelSize(width: 200, height: 100))
        _ = try await bench.library.requestImage(for: small, targetSize: large)
        var movie = LibraryBench.asset(2, resources: [Self.resource(.video, LibraryBench.movie)])
        movie.mediaType = .video
        _ = try await bench.library.requestImage(for: movie, targetSize: nil)
        #expect(
            bench.transport.requests == [
                "GET /v1/assets/\(small.id)/thumbnail?size=256", "GET /v1/assets/\(movie.id)/thumbnail?size=1024",
            ]
        )
        for (asset, size) in [(small, PixelSize(width: 0, height: 5)), (small, PixelSize(width: 5, height: -1))] {
            let error = await #expect(throws: PhotoLibraryError.self) {
                try await bench.library.requestImage(for: asset, targetSize: size)
            }
            #expect(error?.code == .invalid)
        }
        let original = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.requestImage(for: movie, targetSize: nil, version: .original)
        }
        #expect(original?.code == .notFound)
    }

    @Test("An edited asset's picture is the edited one, unless the original is asked for")
    func edited() async throws {
        let bench = try Self.bench()
        var asset = Self.livePhoto(PixelSize(width: 4000, height: 3000))
        asset.resources.append(Self.resource(.fullSizePhoto, LibraryBench.jpeg))
        _ = try await bench.library.requestImage(for: asset, targetSize: nil)
        #expect(bench.transport.requests.last?.hasSuffix("/resources/\(ResourceID(rawValue: 5))") == true)
        let small = PixelSize(width: 10, height: 10)
        let other = try Self.bench()
        _ = try await other.library.requestImage(for: asset, targetSize: small, version: .original)
        #expect(other.transport.requests.last?.hasSuffix("/resources/\(ResourceID(rawValue: 1))") == true)
    }

    @Test("003.22: a Live Photo comes as its still and its movie, with the progress of both; a still has no movie")
    func livePhotos() async throws {
        let bench = try Self.bench()
        let asset = Self.livePhoto(nil)
        let seen = Mutex<[LoadingProgress]>([])
        let live = try await bench.library.requestLivePhoto(for: asset) { progress in
            seen.withLock { $0.append(progress) }
        }
        #expect(try Data(contentsOf: live.photo) == Data(LibraryBench.jpeg))
        #expect(try Data(contentsOf: live.pairedVideo) == Data(LibraryBench.movie))
        let total = Int64(LibraryBench.jpeg.count + LibraryBench.movie.count)
        #expect(seen.withLock { $0.map(\.completedBytes) } == [Int64(LibraryBench.jpeg.count), total])
        #expect(seen.withLock { $0.allSatisfy { $0.totalBytes == total } })
        let still = LibraryBench.asset(2, resources: [Self.resource(.photo, LibraryBench.jpeg)])
        let error = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.requestLivePhoto(for: still)
        }
        #expect(error?.code == .invalid)
    }
}
