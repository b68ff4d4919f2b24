package import LibraryAPI
package import PhotoModel

/// What may be chosen, how many, and in what form it comes (PhotoKit's `PHPickerConfiguration`).
package struct PickerConfiguration: Hashable, Sendable {
    /// How people choose.
    package enum SelectionBehavior: String, CaseIterable, Hashable, Sendable {
        /// The result comes by capture date, once the person is done.
        case standard
        /// The result keeps the order of choosing.
        case ordered
    }

    /// Which bytes an edited asset comes as.
    package enum Representation: String, CaseIterable, Hashable, Sendable {
        /// As edited.
        case current
        /// As captured.
        case original
    }

    /// What may be chosen; nil for everything that is neither hidden nor in the trash.
    package var filter: AssetFilter?
    /// How many may be chosen, 1 to 1,000.
    package var selectionLimit = 1
    /// How people choose.
    package var selectionBehavior = SelectionBehavior.standard
    /// Which bytes an edited asset comes as.
    package var representation = Representation.current
    /// What is taken out of the bytes; the place, unless told otherwise.
    package var stripping: Set<MetadataPart> = [.location]
    /// Assets that are chosen at the beginning.
    package var preselected: [AssetID] = []
    /// Why, for the person who chooses.
    package var purpose: String

    /// One asset without its place, in the form it has now.
    package init(purpose: String) { self.purpose = purpose }

    var request: PickerRequest {
        var request = PickerRequest(purpose: purpose)
        request.filter = filter
        request.selectionLimit = selectionLimit
        request.isOrdered = selectionBehavior == .ordered
        request.encoding = representation.rawValue
        request.strip = stripping.sorted { $0.rawValue < $1.rawValue }
        request.preselected = preselected.isEmpty ? nil : preselected
        return request
    }
}
