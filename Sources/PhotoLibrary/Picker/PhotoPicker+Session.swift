package import LibraryAPI
public import PhotoModel

extension PhotoPicker {
    /// A person's chance to choose.
    public struct Session: Hashable, Sendable {
        /// The session as it was opened.
        package let wire: PickerSession
        let origin: String

        /// Where the person chooses; the part after `#` is a secret, returned only once.
        public var link: String { origin + (wire.pickURI ?? "") }
        /// The code that the person's page shows too; compare it before anything is chosen.
        public var code: String { wire.code }
        /// When it expires.
        public var expires: WallTime { wire.expires }
    }

    /// A chosen asset: all that the caller sees of the library (PhotoKit's `PHPickerResult`).
    public struct Item: Hashable, Sendable, Identifiable {
        private let wire: PickedItem

        init(_ wire: PickedItem) { self.wire = wire }

        /// Identifies the item.
        public var id: AssetID { wire.id }
        /// Whether it can still be fetched; false once it was deleted or hidden.
        public var isAvailable: Bool { wire.isAvailable }
        /// Its media type.
        public var mediaType: MediaType? { wire.mediaType }
        /// Its subtypes.
        public var mediaSubtypes: MediaSubtypes? { wire.mediaSubtypes }
        /// The media type of its bytes, as IANA names it.
        public var contentType: String? { wire.contentType }
        /// The name for saving.
        public var filename: FileName? { wire.filename }
        /// Its size in bytes; nil if something is stripped or converted on fetching.
        public var byteCount: Int64? { wire.byteCount }

        /// Throws if the item is no longer available.
        func requireAvailable() throws(PhotoLibraryError) {
            guard isAvailable else {
                throw PhotoLibraryError(.pickerEnded, "\(id) was deleted or hidden since: ask the person again")
            }
        }
    }
}
