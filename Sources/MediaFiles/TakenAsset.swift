package import LibraryAPI
package import PhotoModel

/// What an asset was imported with, to distinguish files that came later beside its photo.
package struct TakenAsset: Sendable {
    /// Files beside a photo that are not part of its asset, which is no longer extended.
    package struct Latecomers: Sendable {
        /// A movie or raw file, which becomes an asset of its own.
        package struct Partner: Sendable {
            /// The file.
            package let file: MediaFile
            /// Its digest.
            package let digest: ContentDigest
            /// Why it is separate.
            package let remark: MediaCollection.Remark
        }

        /// Files that can stand alone.
        package fileprivate(set) var partners: [Partner] = []
        /// Sidecars, which cannot, with what to do.
        package fileprivate(set) var sidecars: [MediaCollection.Remark] = []
    }

    /// One field of a sidecar.
    private enum Statement: Hashable {
        case title(String)
        case caption(String)
        case keyword(Keyword)
        case rating(Rating)
        case favorite
        case location(Location)
        case date(WallTime)
    }

    /// The bytes of all its resources.
    private let digests: Set<ContentDigest>
    private let statements: Set<Statement>
    /// The names of its missing fields, for people.
    private let want: String

    /// An asset as described when it was imported.
    package init(_ manifest: AssetManifest) {
        self.init(manifest.asset, want: "was taken without")
    }

    /// An asset's current state in the library, without fields that people have removed.
    package init(_ asset: Asset) {
        self.init(asset, want: "lacks")
    }

    /// A purged asset, known only by its receipt.
    package init(_ receipt: Receipt) {
        want = "was taken without"
        digests = Set(receipt.resources.map(\.digest))
        statements = []
    }

    private init(_ asset: Asset, want: String) {
        self.want = want
        digests = Set(asset.resources.map(\.digest))
        let dates = [asset.captureTime.wall, asset.captureDateOverride].compactMap(\.self)
        statements = Self.words(of: asset).union(dates.map { Statement.date($0) })
    }

    /// Files beside its photo that were not imported with it; a sidecar only if it has new fields.
    package func latecomers(of group: MediaCollection.Group, as asset: ImportableAsset) -> Latecomers {
        var late = Latecomers()
        let photo = group.primary.file.name.displayText
        for file in group.partners {
            guard let digest = asset.digest(of: file.path), !digests.contains(digest) else { continue }
            let reason = "it came after \(photo) was taken, and is an asset of its own"
            let remark = MediaCollection.Remark(path: file.file.displayPath, reason: reason)
            late.partners.append(.init(file: file, digest: digest, remark: remark))
        }
        if let file = group.adjustment, let digest = asset.digest(of: file.path), !digests.contains(digest) {
            let reason = "it came after \(photo) was taken, to which nothing is added any more: keep the file"
            late.sidecars.append(.init(path: file.displayPath, reason: reason))
        }
        if let file = group.sidecar, lacksWords(of: asset, group) {
            let next = "write it into the library, by its page or tintypectl asset edit"
            late.sidecars.append(.init(path: file.displayPath, reason: "it says what \(photo) \(want): \(next)"))
        }
        return late
    }

    private func lacksWords(of asset: ImportableAsset, _ group: MediaCollection.Group) -> Bool {
        var said = Self.words(of: asset.manifest.asset).subtracting(Self.words(of: asset.embedded.asset))
        // The files' own metadata does not count as the sidecar's.
        for file in [group.primary] + group.partners {
            if let location = file.location { said.remove(.location(location)) }
        }
        if let date = asset.captureDateOverride { said.insert(.date(date)) }
        return !said.isSubset(of: statements)
    }

    private static func words(of asset: Asset) -> Set<Statement> {
        var words = Set(asset.keywords.map { Statement.keyword($0) })
        if let title = asset.title { words.insert(.title(title)) }
        if let caption = asset.caption { words.insert(.caption(caption)) }
        if asset.rating != .unrated { words.insert(.rating(asset.rating)) }
        if asset.isFavorite { words.insert(.favorite) }
        if let location = asset.location { words.insert(.location(location)) }
        return words
    }
}
