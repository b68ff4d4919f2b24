/// Where a finished capture goes.
///
/// A single pure step: a hold with a request waits for the answer and never loops.
package struct SaveDecision: Hashable, Sendable {
    /// Where the capture goes.
    package enum Placement: Hashable, Sendable {
        /// Into the library and the album that the job names.
        case album
        /// Into the library, without an album.
        case library
        /// Nowhere yet: it stays in the queue.
        case hold(HoldReason)
    }

    /// Where the capture goes.
    package let placement: Placement
    /// The level to request as well; repeating a request does not open another one.
    package let request: AccessLevel?
    /// Whether the album is deferred until an upgrade allows it.
    package let defersAlbum: Bool

    private init(_ placement: Placement, request: AccessLevel? = nil, defersAlbum: Bool = false) {
        self.placement = placement
        self.request = request
        self.defersAlbum = defersAlbum
    }

    /// Decides from both statuses, and whether the job names an album.
    ///
    /// Total: pairs that `AccessDecision` cannot produce (from an old or faulty server) are decided by the `addOnly`
    /// status, by which the server judges uploads, and are held rather than sent.
    package init(readWrite: AuthorizationStatus, addOnly: AuthorizationStatus, wantsAlbum: Bool) {
        switch (readWrite, addOnly) {
        case (.authorized, _):
            self.init(wantsAlbum ? .album : .library)
        case (.limited, .authorized), (.limited, .limited):
            // As the device's own capture, the asset is in its view.
            self.init(.library, defersAlbum: wantsAlbum)
        case (.notDetermined, .authorized), (.notDetermined, .limited):
            self.init(.library, request: wantsAlbum ? .readWrite : nil, defersAlbum: wantsAlbum)
        case (.denied, .authorized), (.restricted, .authorized), (.denied, .limited), (.restricted, .limited):
            self.init(.library, defersAlbum: wantsAlbum)
        case (.notDetermined, .notDetermined):
            self.init(.hold(.pending), request: wantsAlbum ? .readWrite : .addOnly)
        case (.limited, .notDetermined), (.denied, .notDetermined), (.restricted, .notDetermined):
            self.init(.hold(.pending), request: .addOnly)
        case (.notDetermined, .denied) where wantsAlbum:
            self.init(.hold(.pending), request: .readWrite)
        case (_, .denied):
            self.init(.hold(.denied))
        case (_, .restricted):
            self.init(.hold(.restricted))
        }
    }
}
