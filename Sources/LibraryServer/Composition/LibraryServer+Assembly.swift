import DeviceIdentity
import Hummingbird
import LibraryAPI
import LibraryStore
import Persistence

extension LibraryServer {
    /// The router with everything behind it.
    struct Assembly {
        let responder: RouterResponder<ServerContext>
        let peers: PeerIdentities
        /// Every route served, for tests that compare them with the declared ones.
        let endpoints: [Endpoint]
        /// Applies the policy to devices.
        let ceilings: Ceilings
        /// Runs backups and verifications.
        let maintenance: MaintenanceRunner
        /// Makes thumbnails.
        let media: MediaService
        /// Turns batches' contents into plain files.
        let settling: SettlingService
        /// Looks for changes on behalf of waiting requests.
        let looks: ChangeLooks
        /// Receives notices from the library's other servers.
        let signals: SignalService
    }

    /// Registers every group of routes.
    ///
    /// - Throws: ``ServerError`` for a route without a row in the endpoint table.
    func assemble() throws -> Assembly {
        let peers = PeerIdentities(
            authorities: TrustedAuthorities(
                intermediates: [environment.authority.authority.intermediate] + environment.authority.retired
            )
        )
        let (metrics, active) = (ServerMetrics(registry: environment.metrics), ActiveRequests())
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestJournal(metrics: metrics))
        let metadata = environment.store.metadata
        let passwords = Passwords(store: metadata, isShared: metadata.duties.server != nil, now: environment.now)
        let logins = WebLogins(store: metadata, passwords: passwords, active: active, now: environment.now)
        var registry = RouteRegistry(
            router: router,
            gate: Gate(store: metadata),
            authenticator: Authenticator(peers: peers, logins: logins, proxy: settings.proxy),
            guards: RequestGuards(
                load: LoadLimit(maximumCount: settings.maximumRequests, refusal: "The server is busy: try again."),
                bodies: LoadLimit(
                    maximumCount: settings.maximumBodyBytes,
                    refusal: "The server is receiving as much as its memory allows: try again."
                ),
                addresses: AddressLimit(
                    perMinute: settings.anonymousRequestsPerMinute,
                    known: settings.requestsPerMinute
                ),
                pace: BodyPace(bytesPerSecond: settings.minimumBytesPerSecond, span: settings.slowTimeout),
                denials: DenialJournal(store: metadata, logger: environment.logger),
                allowance: ChangeAllowance(perDay: settings.changesPerDay)
            ),
            active: active,
            metrics: metrics,
            now: environment.now
        )
        let looks = ChangeLooks { await metadata.changes($0) }
        let notifier = ChangeNotifier(looks)
        let precedence = UploadPriority(longest: settings.uploadPriority, now: Self.stopwatch())
        let media = mediaParts(notifier, precedence)
        let devices = Devices(store: metadata, active: active)
        let ceilings = Ceilings(store: metadata, devices: devices)
        try register(in: &registry, metrics, active, notifier, looks, precedence, media.derivatives, devices, ceilings)
        try OperatorRoutes(
            operators: Operators(
                store: metadata,
                authority: environment.authority.authority,
                active: active,
                now: environment.now
            ),
            logins: logins,
            passwords: passwords
        ).register(in: &registry)
        let maintenance = MaintenanceRunner(store: environment.store, now: environment.now, logger: environment.logger)
        try MaintenanceRoutes(runner: maintenance).register(in: &registry)
        return Assembly(
            responder: router.buildResponder(),
            peers: peers,
            endpoints: registry.endpoints,
            ceilings: ceilings,
            maintenance: maintenance,
            media: media.service,
            settling: SettlingService(store: environment.store, precedence: precedence),
            looks: looks,
            signals: SignalService(
                store: environment.store,
                notifier: notifier,
                active: active,
                logger: environment.logger
            )
        )
    }

    private func register(
        in registry: inout RouteRegistry,
        _ metrics: ServerMetrics,
        _ active: ActiveRequests,
        _ notifier: ChangeNotifier,
        _ looks: ChangeLooks,
        _ precedence: UploadPriority,
        _ media: Derivatives,
        _ devices: Devices,
        _ ceilings: Ceilings
    ) throws {
        let store = environment.store
        let metadata = store.metadata
        let authority = environment.authority.authority
        let expansions = Expansions(store: metadata, active: active, now: environment.now)
        let pickers = Pickers(store: metadata, active: active, now: environment.now)
        let enrollments = enrollments()
        let certificates = Certificates(store: metadata, authority: authority, now: environment.now)
        try OpenRoutes(environment: environment).register(in: &registry)
        try MonitoringRoutes(
            metrics: metrics,
            library: LibraryMetrics(store: store, registry: environment.metrics, now: environment.now),
            active: active,
            precedence: precedence,
            signals: metadata.signals
        ).register(in: &registry)
        try IdentityRoutes(store: metadata, enrollments: enrollments, certificates: certificates)
            .register(in: &registry)
        try AuthorizationRoutes(
            authorizations: Authorizations(store: metadata, places: registry.places),
            expansions: expansions
        ).register(in: &registry)
        try SavingRoutes(store: store, metrics: metrics, notifier: notifier, precedence: precedence)
            .register(in: &registry)
        try ReadingRoutes(store: store, media: media).register(in: &registry)
        let archives = Archives(store: store, media: media, now: environment.now)
        try ArchiveRoutes(archives: archives).register(in: &registry)
        try MediaRoutes(store: store, derivatives: media, notifier: notifier).register(in: &registry)
        let seal = ChangeTokenSeal(key: environment.authority.receiptKey.secret(for: "tintype change tokens"))
        let timelines = TimelineRoutes(store: metadata, seal: seal)
        try timelines.register(in: &registry)
        try WebRoutes(settings).register(in: &registry)
        try EditingRoutes(store: store, notifier: notifier).register(in: &registry)
        let admission = StandingAdmission(gate: Gate(store: metadata), now: environment.now)
        try ChangeRoutes(environment, looks: looks, seal: seal, admission: admission).register(in: &registry)
        try SyncRoutes(
            store: metadata,
            notifier: notifier,
            active: active,
            pickers: pickers,
            seal: seal,
            now: environment.now
        ).register(in: &registry)
        try PickerRoutes(store: store, pickers: pickers, media: media, timelines: timelines)
            .register(in: &registry)
        try AdminRoutes(
            store: store,
            devices: devices,
            enrollments: enrollments,
            ceilings: ceilings,
            expansions: expansions,
            pickers: pickers,
            audit: audit,
            deviceAddress: settings.deviceAddress(among: environment.authority.serverChain.first?.hosts ?? [])
        ).register(in: &registry)
    }

    private func enrollments() -> Enrollments {
        Enrollments(
            store: environment.store.metadata,
            authority: environment.authority.authority,
            settings: EnrollmentSettings(
                isOpen: settings.isEnrollmentOpen,
                pendingDeviceCount: settings.pendingDeviceCount
            ),
            now: environment.now
        )
    }
}
