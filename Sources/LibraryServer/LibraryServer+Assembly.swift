import DeviceIdentity
import Hummingbird
import LibraryAPI

extension LibraryServer {
    /// The router with everything behind it.
    struct Assembly {
        let responder: RouterResponder<ServerContext>
        let peers: PeerIdentities
        /// Every route that is served, for the tests that hold them against the declared ones.
        let endpoints: [Endpoint]
    }

    /// Registers every group of routes.
    ///
    /// - Throws: ``ServerError`` for a route without a row in the endpoint table.
    func assemble() throws -> Assembly {
        let peers = PeerIdentities(
            authorities: TrustedAuthorities(intermediates: [environment.authority.authority.intermediate])
        )
        let metrics = ServerMetrics(registry: environment.metrics)
        let active = ActiveRequests()
        let router = Router(context: ServerContext.self)
        router.add(middleware: RequestJournal(metrics: metrics))
        var registry = RouteRegistry(
            router: router,
            gate: Gate(directory: environment.devices),
            peers: peers,
            active: active,
            metrics: metrics,
            now: environment.now
        )
        try OpenRoutes(environment: environment).register(in: &registry)
        try MonitoringRoutes(metrics: metrics, active: active).register(in: &registry)
        return Assembly(responder: router.buildResponder(), peers: peers, endpoints: registry.endpoints)
    }
}
