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
    }

    /// Which bytes an edited asset comes as.
    public enum Representation: String, CaseIterable, Hashable, Sendable {
        /// As edited.
        case current
        /// As captured.
        case original
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
    /// How many may be chosen, 1 to 1,000.
    public var selectionLimit = 1
    /// How people choose.
    public var selectionBehavior = SelectionBehavior.standard
    /// Which bytes an edited asset comes as.
    public var representation = Representation.current
    /// What is taken out of the bytes; the place, unless told otherwise.
    public var stripping: Set<StrippedMetadata> = [.location]
    /// Assets that are chosen at the beginning.
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
        request.isOrdered = selectionBehavior == .ordered
        request.encoding = representation.rawValue
        request.strip = stripping.map(\.rawValue).sorted().compactMap(MetadataPart.init(rawValue:))
        request.preselected = preselected.isEmpty ? nil : preselected
        return request
    }
}
