import LibraryAPI
public import PhotoModel

/// What may be chosen, how many, and in what form it comes (PhotoKit's `PHPickerConfiguration`).
public struct PickerConfiguration: Hashable, Sendable {
    /// How people choose.
    public enum SelectionBehavior: String, CaseIterable, Hashable, Sendable {
        /// The result comes by capture date, once the person is done.
        case standard
        /// The result keeps the order of choosing.
        case ordered
        /// As `standard`, and the choice can be followed while it is made: ``PhotoPicker/follow(_:clock:_:)``.
        case continuous
        /// As `ordered`, and the choice can be followed while it is made.
        case continuousAndOrdered
    }

    /// The form that the bytes come in (PhotoKit's `preferredAssetRepresentationMode`).
    public enum Representation: String, CaseIterable, Hashable, Sendable {
        /// As edited; a JPEG for a caller that says it takes JPEG and not the format.
        case automatic
        /// As edited, in the format that it has.
        case current
        /// As edited, in a format that every program reads: a JPEG for a HEIC or a raw picture.
        case compatible
        /// As captured, before any edit; only for devices that may read the whole library.
        case original
    }

    /// What the person can be kept from (PhotoKit's `PHPickerCapabilities`); the server refuses it, too.
    public enum Capability: String, CaseIterable, Hashable, Sendable {
        /// Searching by words.
        case search
        /// Albums.
        case collectionNavigation
        /// Looking through what is chosen before it is handed over.
        case stagingArea
        /// Done and Cancel: the caller ends the session; only where the choice is followed.
        case selectionActions
    }

    /// A part of the files' metadata that can be taken out.
    public enum StrippedMetadata: String, CaseIterable, Hashable, Sendable {
        /// Every place.
        case location
        /// Titles, captions and keywords.
        case captions
    }

    /// What may be chosen; nil for everything that is neither hidden nor in the trash.
    public var filter: AssetFilter?
    /// How many may be chosen, 1 to 1,000; 0 for as many as the server allows.
    public var selectionLimit = 1
    /// How people choose.
    public var selectionBehavior = SelectionBehavior.standard
    /// Which bytes an edited asset comes as.
    public var representation = Representation.automatic
    /// What is taken out of the bytes; the place, unless told otherwise.
    public var stripping: Set<StrippedMetadata> = [.location]
    /// What the person is kept from.
    public var disabledCapabilities: Set<Capability> = []
    /// Assets that are chosen at the beginning, as far as the device may read them or was given them before.
    public var preselected: [AssetID] = []
    /// Why, for the person who chooses.
    public var purpose: String

    /// One asset without its place, in the form it has now.
    ///
    /// - Parameter purpose: why, for the person who chooses.
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
