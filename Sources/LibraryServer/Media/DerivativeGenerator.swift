import Authorization
import LibraryAPI
import LibraryStore
import MediaFormats
import MediaWorker
import Persistence
import PhotoModel

/// Has workers derive pictures and movies from originals, and stores them.
struct DerivativeGenerator: Sendable {
    let store: LibraryStore
    let derivatives: DerivativeStore
    /// Nil without workers.
    let pool: MediaWorkerPool?
    /// Requested pictures that cannot be made.
    let failures = FailedConversions()
    /// Requested movies that cannot be made.
    private let movieFailures = FailedConversions()
    /// Only one movie at a time, so that thumbnails are still made.
    private let movies = ConversionTurns(now: LibraryServer.stopwatch())

    /// The thumbnails in the order in which a worker makes them, largest first.
    private static let thumbnails: [DerivativeKind] = [.large, .small, .smallWebP]

    /// Makes the thumbnails of an original and writes them.
    ///
    /// - Throws: ``MediaWorkerError``; what the store throws.
    func makeThumbnails(
        of address: ContentAddress,
        isMovie: Bool,
        with pool: MediaWorkerPool
    ) async throws -> Derivative {
        let request = MediaRequest(
            .thumbnails,
            of: isMovie ? .movie : .still,
            thumbnails: Self.thumbnails.compactMap { kind in
                guard let side = kind.side, let format = kind.format else { return nil }
                return MediaRequest.Thumbnail(side: side, format: format)
            }
        )
        let output = try await pool.perform(request, input: input(address))
        let made = Dictionary(zip(Self.thumbnails, output.pictures.map(\.bytes))) { $1 }
        try await store.blocking.run { [derivatives] in
            for (kind, bytes) in made { try derivatives.write(bytes, as: kind, of: address.digest) }
        }
        return Derivative(
            digest: address.digest,
            pixelSize: output.facts.size,
            durationMilliseconds: output.facts.durationMilliseconds,
            codec: output.facts.codec,
            thumbHash: output.facts.thumbHash,
            byteCounts: [DerivativeKind.small, .large].map { Int64(made[$0]?.count ?? 0) }
        )
    }

    /// Makes a full-size JPEG of a picture or of a movie's poster; stored if the original's thumbnails are.
    ///
    /// - Throws: ``MediaWorkerError``, at once if the original failed before; what the store throws.
    func makeJPEG(of address: ContentAddress, isMovie: Bool, with pool: MediaWorkerPool) async throws -> [UInt8] {
        try await kept(.jpeg, of: address.digest) {
            try await convert(address, to: MediaRequest(.jpeg, of: isMovie ? .movie : .still), failures, with: pool)
        }
    }

    /// Converts a movie to H.264; stored if the original's thumbnails are.
    ///
    /// - Parameters:
    ///   - address: the original.
    ///   - caller: who asks for it.
    ///   - pool: the workers.
    ///   - finish: adds what a worker leaves out, before the movie is stored.
    /// - Returns: the movie.
    /// - Throws: as ``makeJPEG(of:isMovie:with:)``; `server.unavailable` while it is others' turn.
    func makeMovie(
        of address: ContentAddress,
        for caller: Actor,
        with pool: MediaWorkerPool,
        finish: ([UInt8]) throws -> [UInt8]
    ) async throws -> [UInt8] {
        try await kept(.h264, of: address.digest, isWhole: { (try? Movie($0)).map { $0.damage == nil } ?? false }) {
            try movieFailures.check(address.digest)
            try movies.enter(caller)
            defer { movies.leave() }
            return try finish(await convert(address, to: MediaRequest(.h264, of: .movie), movieFailures, with: pool))
        }
    }

    /// The stored derivative, or what `make` returns, which is stored if the original's thumbnails are.
    private func kept(
        _ kind: DerivativeKind,
        of digest: ContentDigest,
        isWhole: ([UInt8]) -> Bool = { _ in true },
        _ make: () async throws -> [UInt8]
    ) async throws -> [UInt8] {
        let isKept = try await store.metadata.derivative(digest) != nil
        if isKept, let bytes = try await read(kind, of: digest, byteCount: nil), isWhole(bytes) { return bytes }
        let bytes = try await make()
        if isKept {
            try await store.blocking.run { [derivatives] in try derivatives.write(bytes, as: kind, of: digest) }
        }
        return bytes
    }

    /// Forgets failures, so that an operator's retry reaches a worker.
    func forgetFailures() {
        failures.forget()
        movieFailures.forget()
    }

    private func convert(
        _ address: ContentAddress,
        to request: MediaRequest,
        _ failures: FailedConversions,
        with pool: MediaWorkerPool
    ) async throws -> [UInt8] {
        let digest = address.digest
        let original = input(address)
        try failures.check(digest)
        do {
            let output = try await pool.perform(request) {
                // Check again once it is its turn: the same conversion may have failed for another request meanwhile.
                try failures.check(digest)
                return try original()
            }
            return output.pictures.first?.bytes ?? []
        } catch let error as MediaWorkerError {
            failures.note(error, of: digest)
            throw error
        }
    }

    /// A stored picture; nil if it is missing or incomplete.
    func read(_ kind: DerivativeKind, of digest: ContentDigest, byteCount: Int64?) async throws -> [UInt8]? {
        try await store.blocking.run { [derivatives] in
            try derivatives.read(kind, of: digest, byteCount: byteCount)
        }
    }

    /// Deletes derivatives whose originals are gone.
    func removeOrphans() async throws -> Int {
        var count = 0
        while true {
            let digests = try await store.metadata.orphanedDerivatives(limit: 200)
            guard !digests.isEmpty else { return count }
            try await store.blocking.run { [derivatives] in
                for digest in digests { try derivatives.remove(digest) }
            }
            try await store.metadata.removeDerivatives(digests)
            count += digests.count
        }
    }

    /// Deletes derivatives from this server's folder whose rows another server already removed.
    func removeForgotten() async throws -> Int {
        var count = 0
        for byte in UInt8.min...UInt8.max {
            let digests = try await store.blocking.run { [derivatives] in try derivatives.digests(beginning: byte) }
            guard !digests.isEmpty else { continue }
            let gone = try await digests.subtracting(store.metadata.wanted(Array(digests)))
            try await store.blocking.run { [derivatives] in
                for digest in gone { try derivatives.remove(digest) }
            }
            count += gone.count
        }
        return count
    }

    /// Opens an original for a worker, which gets a descriptor instead of a path.
    private func input(_ address: ContentAddress) -> @Sendable () throws -> OwnedDescriptor {
        { [content = store.content] in
            switch try content.lend(address) {
            case .descriptor(let number): return OwnedDescriptor(number)
            case .bytes(let bytes): return try OwnedDescriptor.inMemory("tintype-original", holding: bytes)
            }
        }
    }
}
