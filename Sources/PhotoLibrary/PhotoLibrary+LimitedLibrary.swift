import Authorization
import LibraryAPI
import LibraryClient
public import PhotoModel

/// The status of a limited device's request for more.
public struct LimitedLibraryResponse: Hashable, Sendable {
    /// Identifies the request; administrators see it too.
    public let id: String
    /// Whether the request is still open.
    public let isOpen: Bool
    /// Assets that an administrator has selected since the request (PhotoKit's completion handler).
    public let addedAssets: Set<AssetID>
    /// Rules that were added: the selection includes everything that matches them, now and later.
    public let addedRules: [AssetFilter]
    /// Albums that were granted.
    public let addedAlbums: Set<AlbumID>
}

extension PhotoLibrary {
    /// Asks an administrator to let this device see more (PhotoKit's `presentLimitedLibraryPicker`).
    ///
    /// There is at most one open request, with the latest reason. Additions appear in the view after the agent's next
    /// sync, as insertions in ``changes(since:)``.
    ///
    /// - Parameters:
    ///   - reason: why, for the person who decides.
    ///   - patience: how long to wait for the answer; the request stays open afterwards. Zero returns at once, with nothing
    ///     added.
    ///   - clock: the clock that measures the wait.
    /// - Returns: the request, and what has been added.
    /// - Throws: `invalid` if the device is not limited, `library`.
    @discardableResult
    public func presentLimitedLibraryPicker<Clock: _Concurrency.Clock>(
        reason: String,
        patience: Duration = .zero,
        clock: Clock = ContinuousClock()
    ) async throws -> LimitedLibraryResponse where Clock.Duration == Duration {
        guard try await authorizationStatus(for: .readWrite) == .limited else {
            throw PhotoLibraryError(.invalid, "only a device with limited access has a selection to expand")
        }
        let before = try await selection()
        let question = try await remote { client throws(LibraryClientError) in
            try await client.expandSelection(SelectionExpansion(reason: reason))
        }
        let deadline = clock.now.advanced(by: patience)
        var isOpen = true
        while isOpen, clock.now < deadline {
            try await clock.sleep(until: min(deadline, clock.now.advanced(by: .seconds(2))), tolerance: nil)
            let status = try await remote { client throws(LibraryClientError) in try await client.authorization() }
            isOpen = status.selection?.expansion == question.id
        }
        if !isOpen { await wake() }
        let after = patience > .zero ? try await selection() : before
        return LimitedLibraryResponse(
            id: question.id.description,
            isOpen: isOpen,
            addedAssets: after.assets.subtracting(before.assets),
            addedRules: after.rules.filter { !before.rules.contains($0) },
            addedAlbums: after.grantedAlbums.subtracting(before.grantedAlbums)
        )
    }

    private func selection() async throws -> Selection {
        try await remote { client throws(LibraryClientError) in try await client.call(.selection) }
    }
}
