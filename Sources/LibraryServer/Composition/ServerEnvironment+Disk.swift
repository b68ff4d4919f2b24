import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryStore
package import Logging
import Observability
import Persistence
package import PhotoModel
import Settings

extension ServerEnvironment {
    /// Creates a library with its authority.
    ///
    /// - Parameters:
    ///   - settings: its location, and the names by which devices reach it.
    ///   - logger: the store's logger.
    /// - Returns: the server's environment, with the library open.
    /// - Throws: ``ServerError`` if something already exists there.
    package static func create(_ settings: ServerSettings, logger: Logger) async throws -> ServerEnvironment {
        let originals = try await originals(settings, logger: logger)
        let folder = AuthorityFolder(path: settings.authorityPath)
        let store: LibraryStore
        do {
            // Receipts are signed only once the authority exists, by the store opened then.
            store = try await namingSettings(settings) {
                try await LibraryStore.create(
                    at: Path(settings.libraryPath),
                    originals: originals,
                    metadata: metadata(settings),
                    effects: effects(signer: NoReceipts()),
                    logger: logger
                ) {
                    try FileManager.default.createDirectory(
                        atPath: settings.authorityPath,
                        withIntermediateDirectories: false,
                        attributes: [.posixPermissions: 0o700]
                    )
                    _ = try folder.create(hosts: hosts(settings))
                }
            }
        } catch let error as PersistenceError where error.code == .exists {
            let isWhole = FileManager.default.fileExists(atPath: marker(settings))
            throw ServerError(
                .libraryExists,
                isWhole
                    ? "there is a library at \(settings.libraryPath) already: serve it, or name an empty folder with --set library.path=…"
                    : "\(settings.libraryPath) is not empty and holds no complete library: empty it if an init or restore was "
                        + "interrupted, or name another folder with --set library.path=…",
                cause: error
            )
        }
        store.close()
        return try await open(settings, logger: logger)
    }

    /// Opens a library created by `create`.
    ///
    /// - Parameters:
    ///   - settings: its location.
    ///   - beginsHistory: whether to begin a new history, because the rows were reset to an earlier time.
    ///   - logger: the store's logger.
    /// - Returns: the server's environment, with the library open.
    /// - Throws: ``ServerError`` if there is none, or it is incomplete.
    package static func open(
        _ settings: ServerSettings,
        beginsHistory: Bool = false,
        logger: Logger
    ) async throws -> ServerEnvironment {
        if let place = try LibraryLayout(root: Path(settings.libraryPath)).departure() {
            throw SettingsError(.invalidValue, "library.path: the library moved to \(place): serve it there")
        }
        let authority: AuthorityFolder.Contents
        do {
            authority = try AuthorityFolder(path: settings.authorityPath).load()
        } catch {
            throw ServerError(
                .libraryMissing,
                FileManager.default.fileExists(atPath: marker(settings))
                    ? "the library at \(settings.libraryPath) lacks its keys: restore \(settings.authorityPath) from a backup"
                    : "there is no library with its authority at \(settings.libraryPath): run tintype-server init",
                cause: error
            )
        }
        let store = try await namingSettings(settings) {
            let store = try await LibraryStore.open(
                at: Path(settings.libraryPath),
                in: PosixFileSystem(writesPastCache: true),
                originals: originals(settings, logger: logger),
                metadata: metadata(settings),
                effects: effects(signer: ReceiptKeySigner(key: authority.receiptKey)),
                settings: settings.store,
                beginsHistory: beginsHistory,
                logger: logger
            )
            do {
                try await store.metadata.duties.join(
                    ServerDescription(
                        host: machineName,
                        version: Release.version,
                        folder: settings.libraryPath,
                        authority: fingerprint(authority)
                    )
                )
                try await store.recover()
                return store
            } catch {
                store.close()
                throw error
            }
        }
        return ServerEnvironment(
            authority: authority,
            store: store,
            metrics: MetricsRegistry(),
            now: systemTime,
            logger: logger
        )
    }

    /// Identifies a library's authority on all its servers, whichever certificates were issued since.
    static func fingerprint(_ authority: AuthorityFolder.Contents) -> ContentDigest {
        ContentHasher.digest(authority.receiptKey.verificationKey.der)
    }

    private static func marker(_ settings: ServerSettings) -> String {
        LibraryLayout(root: Path(settings.libraryPath)).marker.text
    }

    /// The names in the server's certificate: the configured ones, and the machine's own name, which invitations use.
    static func hosts(_ settings: ServerSettings) -> [HostAddress] {
        guard let own = HostAddress(machineName), !settings.hosts.contains(own) else { return settings.hosts }
        return settings.hosts + [own]
    }

    /// What the machine calls itself, without asking the network; empty if it has no name.
    private static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The machine's wall clock.
    package static let systemTime: @Sendable () -> WallTime = {
        WallTime(microsecondsSince1970: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()))
    }

    /// The environment of a restore, which issues no receipts.
    static var restoring: StoreEffects { effects(signer: NoReceipts()) }

    private static func effects(signer: any ReceiptSigner) -> StoreEffects {
        StoreEffects(now: systemTime, randomBits: { UInt128.random(in: .min ... .max) }, signer: signer)
    }
}

/// Signs receipts with the server's key.
struct ReceiptKeySigner: ReceiptSigner {
    let key: ReceiptKey
    let keyID: String

    init(key: ReceiptKey) {
        self.key = key
        keyID = key.verificationKey.id.description
    }

    func signature(for bytes: [UInt8]) throws -> [UInt8] { try key.signature(for: bytes).bytes }
}

/// Stands in while a library is created, when nothing is committed.
private struct NoReceipts: ReceiptSigner {
    var keyID: String { "" }

    func signature(for bytes: [UInt8]) throws -> [UInt8] {
        throw ServerError(.libraryMissing, "a library without an authority cannot issue receipts")
    }
}
