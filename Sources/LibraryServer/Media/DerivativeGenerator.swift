import LibraryAPI
import LibraryStore
import MediaFormats
import MediaWorker
import Persistence
import PhotoModel

/// Has workers make pictures of originals, and keeps them.
struct DerivativeGenerator: Sendable {
    let store: LibraryStore
    let derivatives: any DerivativeStore
    /// Nil where no workers are wanted.
    let pool: MediaWorkerPool?
    /// Pictures that were asked for and cannot be made.
    let failures = FailedConversions()
    /// Movies that were asked for and cannot be made.
    private let movieFailures = FailedConversions()
    /// A movie takes a worker for a minute or two: one at a time, so that thumbnails go on beside it.
    private let movies = LoadLimit(maximumCount: 1, refusal: "Another movie is being converted: ask again.")

    /// The thumbnails, the largest first, as a worker is asked for them.
    private static let thumbnails: [DerivativeKind] = [.large, .small, .smallWebP]

    /// Makes the thumbnails of an original and writes them.
    ///
    /// - Throws: ``MediaWorkerError``; what the store says.
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

    /// Makes a JPEG of a whole picture, or of a movie's poster; it is kept where the original's thumbnails are kept too.
    ///
    /// - Throws: ``MediaWorkerError``, without a worker for an original that failed before; what the store says.
    func makeJPEG(of address: ContentAddress, isMovie: Bool, with pool: MediaWorkerPool) async throws -> [UInt8] {
        try await kept(.jpeg, of: address.digest) {
            try await convert(address, to: MediaRequest(.jpeg, of: isMovie ? .movie : .still), failures, with: pool)
        }
    }

    /// Makes a movie with H.264 of a whole movie; it is kept where the original's thumbnails are kept too.
    ///
    /// - Parameters:
    ///   - address: the original.
    ///   - pool: the workers.
    ///   - finish: adds what a worker leaves out, before the movie is kept.
    /// - Returns: the movie.
    /// - Throws: as ``makeJPEG(of:isMovie:with:)``; `server.unavailable` while another movie is being made.
    func makeMovie(
        of address: ContentAddress,
        with pool: MediaWorkerPool,
        finish: ([UInt8]) throws -> [UInt8]
    ) async throws -> [UInt8] {
        try await kept(.h264, of: address.digest, isWhole: { (try? Movie($0)).map { $0.damage == nil } ?? false }) {
            try movieFailures.check(address.digest)
            try movies.enter()
            defer { movies.leave() }
            return try finish(await convert(address, to: MediaRequest(.h264, of: .movie), movieFailures, with: pool))
        }
    }

    /// What was made before, or else what `make` returns; that is kept where the original's thumbnails are kept too.
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

    /// Forgets failures, because an operator wants another try.
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
                // Once more when it is its turn: others may have asked for the same meanwhile.
                try failures.check(digest)
                return try original()
            }
            return output.pictures.first?.bytes ?? []
        } catch let error as MediaWorkerError {
            failures.note(error, of: digest)
            throw error
        }
    }

    /// A picture that was made before; nil if it is not there whole.
    func read(_ kind: DerivativeKind, of digest: ContentDigest, byteCount: Int64?) async throws -> [UInt8]? {
        try await store.blocking.run { [derivatives] in
            try derivatives.read(kind, of: digest, byteCount: byteCount)
        }
    }

    /// Deletes what was made of originals that are gone.
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

    /// Deletes what this server's folder has of originals that are gone, which another server's rows do not tell of any more.
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

    /// Opens an original for a worker, which gets a descriptor and never a name.
    private func input(_ address: ContentAddress) -> @Sendable () throws -> OwnedDescriptor {
        { [content = store.content] in
            switch try content.lend(address) {
            case .descriptor(let number): return OwnedDescriptor(number)
            case .bytes(let bytes): return try OwnedDescriptor.inMemory("tintype-original", holding: bytes)
            }
        }
    }
}
