public import FoundationEssentials
import LibraryAPI
package import LibraryClient
package import Persistence
public import PhotoModel

/// Lets a person choose, and returns exactly what they chose; needs no access to the library (PhotoKit's
/// `PHPickerViewController`).
///
/// The person opens the session's link and compares its code with the one shown here. Chosen items can be fetched until
/// the session ends: by ``end(_:)``, by expiry, or by an administrator.
public struct PhotoPicker: Sendable {
    let client: LibraryClient
    private let pool: BlockingPool
    private let origin: String

    /// A picker of a library.
    ///
    /// - Parameters:
    ///   - client: calls to the library.
    ///   - pool: where blocking calls run.
    ///   - origin: the library's address, for the link that the person opens.
    package init(client: LibraryClient, pool: BlockingPool, origin: String = "") {
        self.client = client
        self.origin = origin
        self.pool = pool
    }

    /// Opens a session.
    ///
    /// - Parameter configuration: what may be chosen.
    /// - Returns: the session with its link, which is returned only once, and its code.
    /// - Throws: `notAuthorized` if policy forbids picking, `library` for every other refusal.
    public func open(_ configuration: PickerConfiguration) async throws -> Session {
        Session(
            wire: try await call { () throws(LibraryClientError) in try await client.openPicker(configuration.request)
            },
            origin: origin
        )
    }

    /// Waits until the person is done; failed polls are retried.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - clock: the clock that measures the waits.
    ///   - progress: receives the number chosen so far.
    /// - Returns: the chosen items, in the session's order; empty if the person cancelled.
    /// - Throws: `pickerEnded` if the time is over, `library`, `CancellationError`.
    public func result<Clock: _Concurrency.Clock>(
        of session: Session,
        clock: Clock,
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> [Item] where Clock.Duration == Duration {
        var current = session.wire
        while current.state == .open {
            progress?(current.count)
            current = try await state(after: current, clock)
        }
        return try await items(at: current, of: session)
    }

    /// Follows a person's choice live, until the person is done (PhotosUI's continuous selection).
    ///
    /// - Parameters:
    ///   - session: a session that was opened with a continuous behavior.
    ///   - clock: the clock that measures the waits.
    ///   - change: receives all chosen items whenever they change; the last call is the result, empty if the person
    ///     cancelled.
    /// - Throws: `pickerEnded` if the time is over, `library`, `CancellationError`, and what `change` throws.
    public func follow<Clock: _Concurrency.Clock>(
        _ session: Session,
        clock: Clock,
        _ change: ([Item]) async throws -> Void
    ) async throws where Clock.Duration == Duration {
        var current = session.wire
        var told = current.revision ?? 0
        while current.state == .open {
            current = try await state(after: current, clock)
            guard current.state == .open, let revision = current.revision, revision != told else { continue }
            told = revision
            try await change(items(of: session))
        }
        try await change(items(at: current, of: session))
    }

    /// The session's state at the next poll.
    private func state<Clock: _Concurrency.Clock>(
        after current: PickerSession,
        _ clock: Clock
    ) async throws -> PickerSession where Clock.Duration == Duration {
        let seconds = current.pollSeconds.clamped(to: 1...3600)
        try await clock.sleep(until: clock.now.advanced(by: .seconds(seconds)), tolerance: nil)
        do throws(LibraryClientError) {
            return try await client.picker(current.id)
        } catch  where error.retry == .after || error.retry == .now {
            return current
        } catch {
            throw PhotoLibraryError(error)
        }
    }

    private func items(at current: PickerSession, of session: Session) async throws -> [Item] {
        switch current.state {
        case .cancelled: return []
        case .ended: throw PhotoLibraryError(.pickerEnded, "the person was not done in time, or the session ended")
        case .open, .done: return try await items(of: session)
        }
    }

    /// Deselects items while the person is still choosing (PhotosUI's `deselectAssets(withIdentifiers:)`).
    ///
    /// - Throws: `pickerEnded` once the person is done, `library`.
    public func deselect(_ items: [AssetID], of session: Session) async throws {
        try await edit(session, PickerEdit(deselected: items))
    }

    /// Moves an item while the person is still choosing (PhotosUI's `moveAsset(withIdentifier:after:)`).
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - other: the item to place it after; nil for the first position.
    ///   - session: a session that keeps the order of choosing.
    /// - Throws: `pickerEnded` once the person is done, `library`.
    public func move(_ item: AssetID, after other: AssetID?, of session: Session) async throws {
        try await edit(session, PickerEdit(moved: [PickerEdit.Move(id: item, after: other)]))
    }

    private func edit(_ session: Session, _ edit: PickerEdit) async throws {
        _ = try await call { () throws(LibraryClientError) in try await client.editPicker(session.wire.id, edit) }
    }

    /// The chosen items.
    ///
    /// - Parameter session: a session whose person is done.
    /// - Returns: the items in the session's order.
    /// - Throws: `library` before the person is done, unless the session is continuous; `pickerEnded` if it is over.
    public func items(of session: Session) async throws -> [Item] {
        var items: [Item] = []
        while true {
            let last = items.last?.id
            let page = try await call { () throws(LibraryClientError) in
                try await client.pickedItems(of: session.wire.id, after: last)
            }
            let known = Set(items.map(\.id))
            // While a person still chooses, an item may move behind the page that had it.
            items += page.items.map(Item.init).filter { !known.contains($0.id) }
            guard page.next != nil, !page.items.isEmpty else { return items }
            // Otherwise pages that repeat would be read forever.
            guard items.count <= APILimits.pickCount, items.count > known.count else {
                throw PhotoLibraryError(LibraryClientError(malformed: "more was picked than a session may choose"))
            }
        }
    }

    /// Fetches an item's files into a folder; names that are taken get a number, and nothing is overwritten.
    ///
    /// - Parameters:
    ///   - item: the item; a Live Photo has two files.
    ///   - session: its session.
    ///   - folder: the destination; created if missing.
    ///   - progress: receives the number of bytes of the item, on the transport's thread.
    /// - Returns: the files, the picture first.
    /// - Throws: `pickerEnded` for an unavailable item, `library`, `storage`.
    public func download(
        _ item: Item,
        of session: Session,
        to folder: URL,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> [URL] {
        try item.requireAvailable()
        let download = FileDownload(client: client, pool: pool)
        let folder = Path(folder.path)
        let values = [session.wire.id.description, item.id.description]
        let name = SafeFileName(item.filename, identifier: item.id, contentType: item.contentType)
        var files: [Path] = []
        files.append(
            try await download.run(
                .init(endpoint: .pickedItem, values: values),
                into: folder,
                named: name,
                progress: progress
            )
        )
        guard item.mediaSubtypes?.contains(.photoLive) == true else { return files.map { URL(filePath: $0.text) } }
        let movie = FileDownload.Source(
            endpoint: .pickedItem,
            values: values,
            query: PickedItemQuery(part: .movie).items
        )
        files.append(try await download.run(movie, into: folder, named: name.pairedMovie(with: files[0].name)))
        return files.map { URL(filePath: $0.text) }
    }

    /// Ends a session: its items can no longer be fetched.
    public func end(_ session: Session) async throws {
        try await call { () throws(LibraryClientError) in try await client.endPicker(session.wire.id) }
    }

    private func call<Answer>(_ body: () async throws(LibraryClientError) -> Answer) async throws -> Answer {
        do {
            return try await body()
        } catch {
            if error.code == .transport(.cancelled) { throw CancellationError() }
            throw PhotoLibraryError(error)
        }
    }
}
