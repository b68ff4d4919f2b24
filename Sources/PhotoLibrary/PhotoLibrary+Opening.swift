import AgentStore
import Authorization
import BoxIdentity
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel

extension PhotoLibrary {
    /// How a program accesses its box's library.
    public struct Configuration: Hashable, Sendable {
        /// The agent's folder, its setting `agent.path`; the program must be in the group that may write there.
        public var agentPath = "/var/lib/tintype-agent"
        /// Why the program saves photos, for the person who decides: one line, at most 280 characters.
        public var addUsage: String?
        /// Why the program reads and changes photos, for the person who decides: one line, at most 280 characters.
        public var readWriteUsage: String?
        /// The proxy's URL, like the agent's setting `library.proxy`; nil for none.
        public var proxy: String?
        /// Bytes of disk space that must stay free when something is added.
        public var reserveByteCount: Int64 = 64 << 20
        /// The cache size for downloads, in bytes.
        public var cacheByteLimit: Int64 = 1 << 30

        /// A Debian package's agent, without usage texts.
        public init() {}
    }

    /// Opens this box's library, beside the agent running here.
    ///
    /// - Parameter configuration: where the agent is, and why the program wants access.
    /// - Throws: `PhotoLibraryError` with `notEnrolled` before `tintype-agent enroll`, `storage` if the agent has never
    ///   run or its folder may not be used, `invalid` for an unsuitable usage text.
    public convenience init(_ configuration: Configuration = Configuration()) throws {
        for text in [configuration.addUsage, configuration.readWriteUsage].compactMap(\.self) {
            guard let problem = UsageText.problem(in: text) else { continue }
            throw PhotoLibraryError(.invalid, "a usage text \(problem.rawValue): say in one line why access is needed")
        }
        let root = Path(configuration.agentPath)
        let identity = IdentityFolder(in: root)
        guard let pinned = try identity.pinned(), try identity.device() != nil else {
            throw PhotoLibraryError(
                .notEnrolled,
                "this box is not a device of a library yet: tintype-agent enroll URL --token TOKEN"
            )
        }
        let store: AgentStore
        do {
            let fileSystem = try identity.queueFileSystem(at: root, isEncrypting: nil)
            store = try AgentStore(guestAt: root, fileSystem: fileSystem)
        } catch let error as AgentStoreError {
            throw PhotoLibraryError(error)
        } catch let error as BoxIdentityError {
            throw PhotoLibraryError(error)
        }
        let transport = try RenewingTransport {
            try identity.device()?.certificateChain
        } make: {
            try CurlTransport(identity.curlSettings(proxy: configuration.proxy))
        }
        let socketPath = root.appending(AgentSocket.fileName).text
        self.init(
            client: LibraryClient(transport),
            store: store,
            pool: BlockingPool(width: 2),
            usage: UsageTexts(add: configuration.addUsage, readWrite: configuration.readWriteUsage),
            surroundings: .box,
            limits: SpaceLimits(reserveByteCount: configuration.reserveByteCount),
            cacheByteLimit: configuration.cacheByteLimit,
            origin: pinned.url,
            refresh: { try transport.renew() },
            wake: { await AgentSocket.wake(socketPath) }
        )
    }
}
