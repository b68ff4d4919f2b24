import LibraryAPI
public import PhotoModel

/// What may be chosen, how many, and in what form (PhotoKit's `PHPickerConfiguration`).
public struct PickerConfiguration: Hashable, Sendable {
    /// How people choose.
    public enum SelectionBehavior: String, CaseIterable, Hashable, Sendable {
        /// The result is sorted by capture date, once the person is done.
        case standard
        /// The result keeps the order of choosing.
        case ordered
        /// As `standard`, and the choice can be followed live: ``PhotoPicker/follow(_:clock:_:)``.
        case continuous
        /// As `ordered`, and the choice can be followed live.
        case continuousAndOrdered
    }

    /// The form of the bytes (PhotoKit's `preferredAssetRepresentationMode`).
    public enum Representation: String, CaseIterable, Hashable, Sendable {
        /// As `current`: this library accepts every format.
        case automatic
        /// As edited, in the stored format.
        case current
        /// As edited, in a widely readable format: a JPEG for a HEIC or a raw picture, H.264 for HEVC.
        case compatible
        /// As captured, before any edit; only for devices that may read the whole library.
        case original
    }

    /// Features that can be withheld from the person (PhotoKit's `PHPickerCapabilities`); the server enforces it too.
    public enum Capability: String, CaseIterable, Hashable, Sendable {
        /// Searching by words.
        case search
        /// Albums.
        case collectionNavigation
        /// Reviewing the choice before it is delivered.
        case stagingArea
        /// Done and Cancel: the caller ends the session; only if the choice is followed.
        case selectionActions
    }

    /// A part of the files' metadata that can be stripped.
    public enum StrippedMetadata: String, CaseIterable, Hashable, Sendable {
        /// Every location.
        case location
        /// Titles, captions and keywords.
        case captions
    }

    /// What may be chosen; nil for everything except hidden and trashed assets.
    public var filter: AssetFilter?
    /// How many may be chosen, 1 to 1,000; 0 for the server's maximum.
    public var selectionLimit = 1
    /// How people choose.
    public var selectionBehavior = SelectionBehavior.standard
    /// The form of an edited asset's bytes.
    public var representation = Representation.automatic
    /// Metadata to strip from the bytes; by default the location.
    public var stripping: Set<StrippedMetadata> = [.location]
    /// Features withheld from the person.
    public var disabledCapabilities: Set<Capability> = []
    /// Initially chosen assets, if the device may read them or received them before.
    public var preselected: [AssetID] = []
    /// Why, for the person choosing.
    public var purpose: String

    /// One asset without its location, in its current form.
    ///
    /// - Parameter purpose: why, for the person choosing.
    public init(purpose: String) { self.purpose = purpose }

    var request: PickerRequest {
        var request = PickerRequest(purpose: purpose)
        request.filter = filter
        request.selectionLimit = selectionLimit
        request.isOrdered = [.ordered, .continuousAndOrdered].contains(selectionBehavior)
        request.isContinuous = [.continuous, .continuousAndOrdered].contains(selectionBehavior) ? true : nil
        request.encoding = PickerEncoding(rawValue: representation.rawValue)
        request.disabledCapabilities =
            disabledCapabilities.isEmpty ? nil : disabledCapabilities.map(\.rawValue).sorted()
        request.strip = stripping.map(\.rawValue).sorted().compactMap(MetadataPart.init(rawValue:))
        request.preselected = preselected.isEmpty ? nil : preselected
        return request
    }
}
