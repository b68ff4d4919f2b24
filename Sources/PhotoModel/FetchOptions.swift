/// Which assets a list holds, in what order, and how many (PhotoKit's `PHFetchOptions`).
public struct FetchOptions: Hashable, Sendable, Codable {
    /// A sort key.
    public enum SortKey: String, CaseIterable, Hashable, Sendable, Codable {
        /// The capture date that counts, as the clock at the place of the capture shows it: days stay together.
        case captureDate
        /// When the asset was added to the library; those not added yet come first.
        case additionDate
        /// Stars.
        case rating
    }

    /// One step of the order.
    public struct SortDescriptor: Hashable, Sendable, Codable {
        /// What to sort by.
        public let key: SortKey
        /// Smallest first.
        public let isAscending: Bool

        /// Takes a key and a direction.
        public init(key: SortKey, isAscending: Bool) {
            self.key = key
            self.isAscending = isAscending
        }
    }

    /// Only assets that match; nil means all.
    public var filter: AssetFilter?
    /// The order, at first newest capture first; ties end with the identifier, so that every order is total.
    public var sortDescriptors: [SortDescriptor]
    /// The most assets; nil sets no limit.
    public var fetchLimit: Int?
    /// Hidden assets too.
    public var includesHidden: Bool
    /// All shots of a burst, not only its representative and what a person picked from it.
    public var includesAllBurstAssets: Bool
    /// The assets in the trash instead of the others.
    public var showsTrash: Bool

    /// The usual list: newest first, nothing hidden, one picture a burst.
    public init(
        filter: AssetFilter? = nil,
        sortDescriptors: [SortDescriptor] = [SortDescriptor(key: .captureDate, isAscending: false)],
        fetchLimit: Int? = nil,
        includesHidden: Bool = false,
        includesAllBurstAssets: Bool = false,
        showsTrash: Bool = false
    ) {
        self.filter = filter
        self.sortDescriptors = sortDescriptors
        self.fetchLimit = fetchLimit
        self.includesHidden = includesHidden
        self.includesAllBurstAssets = includesAllBurstAssets
        self.showsTrash = showsTrash
    }
}

extension FetchOptions {
    /// Whether an asset belongs to the list, whatever its place and the limit.
    public func includes(_ asset: Asset) -> Bool {
        (asset.trashedAt != nil) == showsTrash
            && (includesHidden || !asset.isHidden)
            && (includesAllBurstAssets || asset.burst?.standsOut ?? true)
            && (filter?.matches(asset) ?? true)
    }

    /// Whether one asset comes before another.
    public func areInIncreasingOrder(_ left: Asset, _ right: Asset) -> Bool {
        for descriptor in sortDescriptors {
            let (first, second) = descriptor.isAscending ? (left, right) : (right, left)
            if descriptor.key.isBefore(first, second) { return true }
            if descriptor.key.isBefore(second, first) { return false }
        }
        // The tie follows the direction of the last step, so that the opposite order is exactly the reverse.
        return sortDescriptors.last?.isAscending ?? true ? left.id < right.id : right.id < left.id
    }

    /// The list made of assets in memory.
    public func fetch(from assets: some Sequence<Asset>) -> [Asset] {
        let sorted = assets.filter(includes).sorted(by: areInIncreasingOrder)
        return fetchLimit.map { Array(sorted.prefix(max($0, 0))) } ?? sorted
    }
}

extension FetchOptions.SortKey {
    fileprivate func isBefore(_ left: Asset, _ right: Asset) -> Bool {
        switch self {
        case .captureDate: left.localCaptureDate < right.localCaptureDate
        case .additionDate:
            (left.additionDate?.microsecondsSince1970 ?? .min) < (right.additionDate?.microsecondsSince1970 ?? .min)
        case .rating: left.rating < right.rating
        }
    }
}

extension BurstMembership {
    /// Whether a list shows it without being asked for all of a burst.
    public var standsOut: Bool { representsBurst || selectionTypes.contains(.userPick) }
}
