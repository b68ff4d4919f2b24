import AgentStore
import Authorization
import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Testing

struct ChangingTests {
    @Test(
        "000.17, 000.21: a creation request makes one asset of all its resources; a moved file is gone, a copied one stays"
    )
    func creation() async throws {
        let bench = try LibraryBench()
        let still = try bench.file("IMG_1.JPG", LibraryBench.jpeg)
        let movie = try bench.file("IMG_1.MOV", LibraryBench.movie)
        let placeholder = try await bench.library.performChanges { changes in
            changes.createAsset { request in
                request.addResource(with: .photo, fileURL: still)
                var options = ResourceCreationOptions()
                options.shouldMoveFile = true
                request.addResource(with: .pairedVideo, fileURL: movie, options: options)
                request.caption = "Gate"
                request.destination = .albumTitled("Winter")
            }
        }
        let entry = try #require(try bench.store.entry(placeholder.id))
        #expect(entry.state == .captured)
        #expect(entry.manifest.mediaSubtypes.contains(.photoLive) && entry.manifest.caption == "Gate")
        #expect(entry.manifest.resources.map(\.contentType) == ["image/jpeg", "video/quicktime"])
        #expect(entry.manifest.resources.map { $0.originalFilename?.displayText } == ["IMG_1.JPG", "IMG_1.MOV"])
        #expect(FileManager.default.fileExists(atPath: still.path))
        #expect(!FileManager.default.fileExists(atPath: movie.path))
    }

    @Test("A block that fails does nothing: no asset, no edit, and a file that was to be moved is where it was")
    func allOrNothing() async throws {
        let bench = try LibraryBench()
        try bench.grant(addOnly: .authorized, readWrite: .authorized)
        try bench.show(LibraryBench.asset(1))
        let still = try bench.file("IMG_1.JPG", LibraryBench.jpeg)
        let error = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.performChanges { changes in
                changes.createAsset { request in
                    var options = ResourceCreationOptions()
                    options.shouldMoveFile = true
                    request.addResource(with: .photo, fileURL: still, options: options)
                }
                changes.editAsset(AssetID(rawValue: 1)) { $0.isFavorite = true }
                changes.deleteAssets([AssetID(rawValue: 99)])
            }
        }
        #expect(error?.code == .notFound)
        #expect(try bench.store.entries().isEmpty)
        #expect(try Data(contentsOf: still) == Data(LibraryBench.jpeg))
        #expect(try await bench.library.asset(AssetID(rawValue: 1))?.isFavorite == false)
        let none = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.performChanges { _ = $0.createAsset { $0.caption = "no bytes" } }
        }
        #expect(none?.code == .invalid)
    }

    @Test("A file that is longer than a library takes is refused before any file is read")
    func tooLong() async throws {
        let bench = try LibraryBench()
        let still = try bench.file("IMG_1.JPG", LibraryBench.jpeg)
        try FileHandle(forWritingTo: still).truncate(atOffset: UInt64(AssetResource.maximumByteCount) + 1)
        let error = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.performChanges { changes in
                _ = changes.createAsset { $0.addResource(with: .photo, fileURL: still) }
            }
        }
        #expect(error?.code == .invalid)
        #expect(try bench.store.entries().isEmpty)
    }

    @Test("001.21: saving needs no level here; editing a view needs read and write access, which the error names")
    func levels() async throws {
        let bench = try LibraryBench()
        #expect(try await bench.library.authorizationStatus(for: .readWrite) == .notDetermined)
        try await bench.library.performChanges { changes in
            _ = changes.createAsset { $0.addResource(with: .photo, data: LibraryBench.jpeg) }
        }
        try bench.grant(addOnly: .authorized, readWrite: .notDetermined)
        let error = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.performChanges { $0.createAlbum(titled: "Winter") }
        }
        #expect(error?.code == .notAuthorized && error?.description.contains("readWrite") == true)
        #expect(try await bench.library.fetchAlbums().isEmpty)
    }

    @Test("000.12: only an undecided level opens a question; the answer is remembered")
    func request() async throws {
        let bench = try LibraryBench { request in
            #expect(request.target == "/v1/authorization/requests")
            return .json(
                #"{"addOnly":"authorized","readWrite":"limited","legacy":"authorized","pending":[],"grantVersion":2,"next":""}"#
            )
        }
        #expect(try await bench.library.requestAuthorization(for: .readWrite) == .limited)
        #expect(try await bench.library.authorizationStatus(for: .addOnly) == .authorized)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(
        "000.12: what was decided is answered without a network; only an open question needs one",
        arguments: [AuthorizationStatus.authorized, .limited, .denied, .restricted, .notDetermined]
    )
    func offline(status: AuthorizationStatus) async throws {
        let bench = try LibraryBench { _ throws(TransportError) in throw TransportError(.unreachable, "no network") }
        try bench.grant(addOnly: .authorized, readWrite: .init(rawValue: "\(status)"))
        #expect(try await bench.library.authorizationStatus(for: .readWrite) == status)
        if status == .notDetermined {
            let error = await #expect(throws: PhotoLibraryError.self) {
                try await bench.library.requestAuthorization(for: .readWrite)
            }
            #expect(error?.code == .library)
        } else {
            #expect(try await bench.library.requestAuthorization(for: .readWrite) == status)
            #expect(bench.transport.requests.isEmpty)
        }
    }

    @Test("004.95: an observer sees insertions, updates and deletions as they happen, from its token on")
    func observation() async throws {
        let bench = try LibraryBench()
        try bench.grant(addOnly: .authorized, readWrite: .authorized)
        let start = try await bench.library.currentChangeToken()
        var changes = bench.library.changes(since: start).makeAsyncIterator()
        try bench.show(LibraryBench.asset(1))
        let first = try #require(try await changes.next())
        #expect(first.assets.inserted == [AssetID(rawValue: 1)])
        let library = bench.library
        async let edit: Void = library.performChanges { changes in
            changes.editAsset(AssetID(rawValue: 1)) { $0.caption = "Seen" }
            changes.createAlbum(titled: "Winter")
        }
        let second = try #require(try await changes.next())
        #expect(second.assets.updated == [AssetID(rawValue: 1)] && second.albums.inserted.count == 1)
        try await edit
        #expect(try await library.fetchAlbums().map(\.title) == ["Winter"])
        var again = library.changes(since: first.token).makeAsyncIterator()
        #expect(try await again.next() == second, "a token that was kept goes on where it was")
        let late = library.changes(
            since: try JSONDecoder().decode(ViewToken.self, from: Data(#"{"sequence":99}"#.utf8))
        )
        var expired = late.makeAsyncIterator()
        let error = await #expect(throws: PhotoLibraryError.self) { try await expired.next() }
        #expect(error?.code == .tokenExpired)
    }
}
