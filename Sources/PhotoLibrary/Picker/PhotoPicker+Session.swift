package import LibraryAPI
public import PhotoModel

extension PhotoPicker {
    /// A person's chance to choose.
    public struct Session: Hashable, Sendable {
        /// The session as it was opened.
        package let wire: PickerSession
        let origin: String

        /// Where the person chooses; the part behind `#` is a secret, told this once.
        public var link: String { origin + (wire.pickURI ?? "") }
        /// What the person's page shows too; to be compared before anything is chosen.
        public var code: String { wire.code }
        /// When it ends by itself.
        public var expires: WallTime { wire.expires }
    }

    /// One asset that was chosen, as the caller sees it: nothing of the library but this (PhotoKit's `PHPickerResult`).
    public struct Item: Hashable, Sendable, Identifiable {
        private let wire: PickedItem

        init(_ wire: PickedItem) { self.wire = wire }

        /// Names the item.
        public var id: AssetID { wire.id }
        /// Whether it can still be fetched; false once it was deleted or hidden.
        public var isAvailable: Bool { wire.isAvailable }
        /// What it mainly is.
        public var mediaType: MediaType? { wire.mediaType }
        /// What more is known of it.
        public var mediaSubtypes: MediaSubtypes? { wire.mediaSubtypes }
        /// The media type of its bytes, as IANA names it.
        public var contentType: String? { wire.contentType }
        /// The name for saving.
        public var filename: FileName? { wire.filename }
        /// How many bytes it has before anything is taken out.
        public var byteCount: Int64? { wire.byteCount }

        /// Refuses to fetch what is gone.
        func requireAvailable() throws(PhotoLibraryError) {
            guard isAvailable else {
                throw PhotoLibraryError(.pickerEnded, "\(id) was deleted or hidden since: ask the person again")
            }
        }
    }
}
