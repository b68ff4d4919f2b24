import LibraryAPI
import PhotoModel

/// A file of a photo; photos that have the same one have the same bytes.
enum PhotoPart: UInt8, CaseIterable {
    case still = 1
    case otherStill, movie, otherMovie, raw

    var resource: AssetResource {
        switch self {
        case .still, .otherStill: RuleSample.resource(rawValue, .photo)
        case .movie, .otherMovie: RuleSample.resource(rawValue, .pairedVideo)
        case .raw: RuleSample.resource(rawValue, .alternatePhoto)
        }
    }
}

/// What saving is answered with, stated once more in the smallest form.
///
/// Devices and photos are numbers here, and manifests sets of parts. It shares no code with the store's rules.
struct SavingModel {
    /// A caller and a photo; the callers are two devices and the operators.
    struct Key: Hashable {
        let saver: Int
        let photo: Int
    }

    /// What a photo is described with.
    struct Description: Hashable {
        let parts: Set<PhotoPart>
        let wantsAlbum: Bool
    }

    enum Grant: CaseIterable {
        case all, selected, addOnly, nothing, undecided
    }

    enum Album: Hashable {
        case unnamed
        case created(String)
        case applied(String)
        case deferred(String)
    }

    enum Answer: Hashable {
        case refused(ErrorCode)
        case uploads(Int)
        case same, renewed
        case saved(Album)
    }

    struct Photo: Hashable {
        let saver: Int
        var parts: Set<PhotoPart>
        var albums: Set<String> = []
    }

    struct Saved {
        let parts: Set<PhotoPart>
        var epoch: Int
    }

    static let operators = 2
    /// The photo that each limited device was selected.
    static let selected = 0
    /// The photo that was imported: its identifier is made of its still's bytes.
    static let imported = 1
    static let photoCount = 6
    /// The album that manifests name.
    static let named = "Gate"
    /// The album that an operator assigned to the first device.
    static let assigned = "Road"

    var grants: [Grant] = [.all, .all]
    var draining: Set<Int> = []
    /// The list of a draining device, once it has announced it.
    var announced: [Int: Set<Int>] = [:]
    var creations: [Key: Description] = [:]
    var receipts: [Key: Saved] = [:]
    var photos: [Int: Photo] = [:]
    var purged: Set<Int> = []
    var known: Set<PhotoPart> = []
    var missing: Set<PhotoPart> = []
    var albums: Set<String> = []
    var epoch = 0

    mutating func create(_ key: Key, _ description: Description) -> Answer {
        guard mayBegin(key) else { return .refused(.denied) }
        if let saved = receipts[key], saved.parts.isDisjoint(with: missing) {
            guard description.parts.isSubset(of: saved.parts) else { return .refused(.assetConflict) }
            guard saved.epoch != epoch else { return .same }
            receipts[key]?.epoch = epoch
            return .renewed
        }
        if key.saver == Self.operators, purged.contains(key.photo) { return .refused(.assetPurged) }
        if let earlier = creations[key], earlier.parts != description.parts { return .refused(.assetConflict) }
        creations[key] = description
        return .uploads(description.parts.count)
    }

    mutating func commit(_ key: Key, _ description: Description, isBatch: Bool) -> Answer {
        guard mayBegin(key) else { return .refused(.denied) }
        if let saved = receipts[key] { return commitAgain(key, description, saved) }
        guard isBatch || creations[key] == description else { return .refused(.assetConflict) }
        let reason: String?
        let grant = key.saver == Self.operators ? Grant.all : grants[key.saver]
        switch grant {
        case .all: reason = nil
        case .selected: reason = "limited"
        case .addOnly: reason = "denied"
        case .nothing: return .refused(.denied)
        case .undecided: return .refused(.notDetermined)
        }
        guard !purged.contains(key.photo) else {
            return .refused(grant == .all || key.photo == Self.imported ? .assetPurged : .assetConflict)
        }
        let sees = sees(key)
        guard let photo = merged(key, description.parts, sees) else { return .refused(.assetConflict) }
        photos[key.photo] = photo
        publish(description.parts)
        creations[key] = nil
        receipts[key] = Saved(parts: description.parts, epoch: epoch)
        var album = Album.unnamed
        if key.saver == 0 { album = file(sees ? key.photo : nil, in: Self.assigned) }
        if description.wantsAlbum, let reason {
            album = .deferred(reason)
        } else if description.wantsAlbum {
            album = file(key.photo, in: Self.named)
        }
        return .saved(album)
    }

    private mutating func commitAgain(_ key: Key, _ description: Description, _ saved: Saved) -> Answer {
        guard description.parts.isSubset(of: saved.parts) else { return .refused(.assetConflict) }
        let isPurged = purged.contains(key.photo)
        let sent = isPurged ? [] : description.parts
        guard saved.parts.isDisjoint(with: missing.subtracting(sent)) else { return .refused(.assetIncomplete) }
        publish(sent)
        creations[key] = nil
        guard saved.epoch != epoch else { return .same }
        receipts[key]?.epoch = epoch
        return .renewed
    }

    /// Whether a draining device announced a photo, or has begun to save it; what may not save is refused for that.
    private func mayBegin(_ key: Key) -> Bool {
        guard draining.contains(key.saver), grants[key.saver] != .nothing, grants[key.saver] != .undecided else {
            return true
        }
        return announced[key.saver]?.contains(key.photo) == true || creations[key] != nil || receipts[key] != nil
    }

    /// Whether the caller may see a photo, or would be the first to save it.
    private func sees(_ key: Key) -> Bool {
        guard let photo = photos[key.photo], key.saver != Self.operators, photo.saver != key.saver else { return true }
        switch grants[key.saver] {
        case .all: return true
        case .selected: return key.photo == Self.selected
        case .addOnly, .nothing, .undecided: return false
        }
    }

    /// The photo with other parts; nil if they do not fit, or are not the caller's to add.
    private func merged(_ key: Key, _ parts: Set<PhotoPart>, _ sees: Bool) -> Photo? {
        guard var photo = photos[key.photo] else { return Photo(saver: key.saver, parts: parts) }
        let all = photo.parts.union(parts)
        guard !all.isSuperset(of: [.still, .otherStill]), !all.isSuperset(of: [.movie, .otherMovie]),
            sees || all == photo.parts || key.photo == Self.imported
        else { return nil }
        photo.parts = all
        return photo
    }

    private mutating func publish(_ parts: Set<PhotoPart>) {
        known.formUnion(parts)
        missing.subtract(parts)
    }

    private mutating func file(_ photo: Int?, in title: String) -> Album {
        if let photo { photos[photo]?.albums.insert(title) }
        return albums.insert(title).inserted ? .created(title) : .applied(title)
    }
}
