import DeviceIdentity
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import LibraryStore
import NIOCore
package import ServiceLifecycle

/// One library's server: devices over TLS, operators over a Unix socket, both through one router.
package struct LibraryServer: Sendable {
    /// Where the server listens once started.
    package struct Listening: Sendable {
        /// The devices' address, with the port chosen by the system if it was 0.
        package let address: ListenAddress
        /// The operators' socket.
        package let socketPath: String
    }

    let settings: ServerSettings
    let environment: ServerEnvironment

    /// Signs and verifies the audit.
    var audit: AuditLog {
        AuditLog(store: environment.store.metadata, key: environment.authority.receiptKey, now: environment.now)
    }

    /// The server's services, to be run in one group.
    ///
    /// - Parameter onListening: called when both listeners are open.
    /// - Returns: services that end on graceful shutdown.
    /// - Throws: ``ServerError`` if a route has no row in the endpoint table, and TLS errors about its keys.
    package func services(onListening: @escaping @Sendable (Listening) -> Void = { _ in }) throws -> [any Service] {
        let parts = try assemble()
        let socket = try OperatorSocket(path: settings.socketPath)
        let progress = ListeningProgress(
            host: settings.listen.host,
            socket: socket,
            logger: environment.logger,
            report: onListening
        )
        let patience = TimeAmount(settings.slowTimeout)
        let connections = AddressConnections(maximumCount: settings.connectionsPerAddress)
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                AddressConnectionHandler(connections: connections), PeerPace(patience: patience), ConnectionEnd(),
            ],
            idleTimeout: .init(settings.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: settings.headerByteCount,
                maxHeaderListSize: settings.headerByteCount,
                maxHeaderFieldCount: 100
            )
        )
        let devices = Application(
            responder: parts.responder,
            server: try .tls(
                .http1(configuration: http),
                configuration: ServerTLS.configuration(of: environment.authority, peers: parts.peers)
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.listen.host, port: settings.listen.port),
                availableConnectionsDelegate: MaximumAvailableConnections(settings.maximumConnections)
            ),
            onServerRunning: { channel in progress.devicesListen(port: channel.localAddress?.port) },
            logger: environment.logger
        )
        let operators = Application(
            responder: parts.responder,
            server: .http1(configuration: http),
            configuration: ApplicationConfiguration(address: .unixDomainSocket(path: socket.bindPath)),
            onServerRunning: { _ in progress.operatorsListen() },
            logger: environment.logger
        )
        let upkeep = UpkeepService(
            store: environment.store,
            ceilings: parts.ceilings,
            audit: audit,
            logger: environment.logger
        )
        let naming = OperatorSocketService(socket: socket)
        let presence = PresenceService(duties: environment.store.metadata.duties, logger: environment.logger)
        return [
            presence, parts.signals, parts.looks, upkeep, parts.maintenance, parts.settling, parts.media,
            naming, devices, operators,
        ]
    }
}
