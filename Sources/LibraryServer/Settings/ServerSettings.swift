package import DeviceIdentity
package import Foundation
import LibraryAPI
package import LibraryStore
package import Logging
package import Observability
package import PhotoModel
package import Settings

/// All settings of a server, from `config/server.yaml`, the environment and flags.
package struct ServerSettings: Sendable {
    /// The folder that holds the library (`library.path`, default `/var/lib/tintype`).
    package var libraryPath: String
    /// Days that an asset stays in the trash (`library.trashDays`, 1 to 3,650, default 30).
    package var trashDays: Int
    /// Days that purged bytes stay in quarantine (`library.quarantineDays`, 1 to 3,650, default 30).
    package var quarantineDays: Int
    /// Bytes of disk space that uploads leave free (`library.reservedMebibytes`, 0 to 1,000,000,000 MiB, default
    /// 1,024).
    package var reservedByteCount: Int64
    /// The time zone that determines the days of captures whose own offset from UTC is unknown (`library.timeZone`, a
    /// name such as `Europe/Berlin`; default this machine's, else UTC).
    ///
    /// After a change, such captures move to their new days at the next start.
    package var timeZone: TimeZone
    /// Where originals are stored (`library.originals`, `folder` or `s3://bucket/prefix`, default `folder`;
    /// `s3.endpoint`, `s3.region`, `s3.addressing`, `s3.accessKey`, `s3.secretKeyFile`, `s3.authorities`, `s3.verify`).
    package var originals: OriginalsSettings
    /// Where rows are stored (`library.metadata`, `sqlite` or `postgres://user@host/database`, default `sqlite`;
    /// `library.schema`, default `tintype`; `library.connections`, 2 to 100, default 8; `library.pooling`, `session` or
    /// `transaction`, default `session`; `library.notices`, an address without a pooler or `off`, default that of
    /// `library.metadata`, but `off` if `library.pooling` is `transaction`).
    package var metadata: MetadataLocation
    /// Where devices connect (`server.listen`, default `0.0.0.0:8443`).
    package var listen: ListenAddress
    /// How devices reach the server, for its certificate (`server.hosts`, default `localhost`, `127.0.0.1`, `::1`).
    ///
    /// The machine's own name is added. Only `init` and `rotate-authority` read it.
    package var hosts: [HostAddress]
    /// The Unix socket of operators (`server.socket`, default `admin.sock` in the library's folder).
    ///
    /// The file's mode, 0600, decides who may open it. At most 107 bytes.
    package var socketPath: String
    /// Concurrent connections (`server.maximumConnections`, 1 to 100,000, default 2,048); later ones wait.
    package var maximumConnections: Int
    /// Concurrent connections from one address (`server.connectionsPerAddress`, 1 to 100,000, default 256).
    ///
    /// Further ones are closed at once. This machine's addresses are not counted; behind a proxy on another machine,
    /// set what the proxy needs.
    package var connectionsPerAddress: Int
    /// Concurrent requests (`server.maximumRequests`, 1 to 100,000, default 4,096); more get 503.
    package var maximumRequests: Int
    /// Bytes of JSON bodies and of batches' manifests held at once (`server.maximumBodyBytes`, 4,194,304 to 1 TiB,
    /// default 67,108,864); more get 503.
    package var maximumBodyBytes: Int
    /// Requests a minute from one address without an identity (`server.anonymousRequestsPerMinute`, 1 to 1,000,000,
    /// default 600); more get 429.
    package var anonymousRequestsPerMinute: Int
    /// Requests a minute from one address with an identity (`server.requestsPerMinute`, 1 to 100,000,000, default
    /// 60,000); more get 429.
    package var requestsPerMinute: Int
    /// The minimum bytes per second of a body (`server.minimumBytesPerSecond`, 0 to 1,000,000,000, default 512); one
    /// that is slower over `server.slowTimeoutSeconds` gets 408.
    package var minimumBytesPerSecond: Int
    /// How long a peer may make no progress (`server.slowTimeoutSeconds`, 1 to 3,600, default 60) while sending a
    /// header, sending a body, or reading a response.
    package var slowTimeout: Duration
    /// SHA-256 of the keys of trusted reverse proxies (`proxy.keys`, default none).
    ///
    /// A proxy presents an operator's certificate of its own; only then are its forwarded fields read.
    package var proxyKeys: [ContentDigest]
    /// The field in which a proxy forwards the client's certificate (`proxy.certificateField`, default `Client-Cert`).
    package var proxyCertificateField: String
    /// The field in which a proxy forwards the client's address (`proxy.addressField`, default `X-Forwarded-For`).
    package var proxyAddressField: String
    /// How long a connection may be silent before it is closed (`server.idleTimeoutSeconds`, 1 to 3,600, default 60).
    package var idleTimeout: Duration
    /// The most bytes of a request's header (`server.headerByteCount`, 4,096 to 1,048,576, default 32,768).
    package var headerByteCount: Int
    /// How long requests may continue after a stop (`server.shutdownGraceSeconds`, 0 to 600, default 20).
    package var shutdownGrace: Duration
    /// Pages that may show the picker in a frame (`picker.embeddingOrigins`, default none; at most 16 such as
    /// `https://wall.example`).
    package var pickerEmbeddingOrigins: [WebOrigin]
    /// The map that the page links coordinates to (`page.mapLink`, default none).
    package var mapLink: MapLink?
    /// Whether boxes without a token may request enrolment (`enrollment.open`, default false).
    package var isEnrollmentOpen: Bool
    /// The most devices that wait for a decision (`enrollment.pendingCount`, 1 to 100,000, default 100).
    package var pendingDeviceCount: Int
    /// Open uploads per device (`device.openUploads`, 1 to 1,000,000, default 4,096); more get 429.
    package var openUploads: Int
    /// Assets that one device may save (`device.quotaAssets`, 0 to 1,000,000,000, default 10,000,000; 0: no limit); more
    /// get 507.
    package var quotaAssets: Int
    /// MiB that one device may save (`device.quotaMebibytes`, 0 to 1,000,000,000, default 1 TiB; 0: no limit); more get
    /// 507.
    package var quotaMebibytes: Int
    /// Changes that one device may make in a day (`device.changesPerDay`, 0 to 1,000,000,000, default 1,000,000; 0: no
    /// limit); more get 429.
    package var changesPerDay: Int
    /// Processes that make thumbnails (`media.workers`, 0 to 64, default 2); 0 makes none.
    package var mediaWorkers: Int
    /// Memory limit of each of them, in MiB (`media.memoryMebibytes`, 128 to 65,536, default 1,024).
    package var mediaMemoryMebibytes: Int
    /// How long they wait at most while uploads are in progress (`media.uploadPrioritySeconds`, 0 to 3,600, default 2);
    /// requested thumbnails do not wait.
    package var uploadPriority: Duration
    /// Their program (`media.program`, default `tintype-media`); a name without a slash is searched beside this
    /// program, then in `../libexec/tintype`.
    package var mediaProgram: String
    /// The lowest level that is logged (`log.level`, default info).
    package var logLevel: Logger.Level
    /// The format of log lines (`log.format`: `text` for people, `json` for programs; default text).
    package var logFormat: LogFormat

    /// Reads every setting, and refuses unknown ones.
    ///
    /// - Throws: `invalidValue`, `unknownKey`.
    package init(from reader: SettingsReader) throws(SettingsError) {
        var reader = reader
        libraryPath = reader.text("library.path", default: Self.usualLibraryPath)
        trashDays = try reader.number("library.trashDays", default: 30, in: 1...3650)
        quarantineDays = try reader.number("library.quarantineDays", default: 30, in: 1...3650)
        let mebibytes = try reader.number("library.reservedMebibytes", default: 1024, in: 0...1_000_000_000)
        reservedByteCount = Int64(mebibytes) << 20
        timeZone = try Self.timeZone(&reader)
        originals = try OriginalsSettings(from: &reader)
        metadata = try MetadataLocation(from: &reader)
        listen = try Self.listen(&reader)
        hosts = try Self.hosts(&reader)
        socketPath = reader.text("server.socket", default: "\(libraryPath)/admin.sock")
        guard socketPath.utf8.count <= Self.maximumSocketPathByteCount else {
            throw SettingsError(
                .invalidValue,
                "server.socket is longer than \(Self.maximumSocketPathByteCount) bytes: choose a shorter path"
            )
        }
        maximumConnections = try reader.number("server.maximumConnections", default: 2048, in: 1...100_000)
        connectionsPerAddress = try reader.number("server.connectionsPerAddress", default: 256, in: 1...100_000)
        maximumRequests = try reader.number("server.maximumRequests", default: 4096, in: 1...100_000)
        maximumBodyBytes = try reader.number("server.maximumBodyBytes", default: 64 << 20, in: (4 << 20)...(1 << 40))
        anonymousRequestsPerMinute = try reader.number(
            "server.anonymousRequestsPerMinute",
            default: 600,
            in: 1...1_000_000
        )
        requestsPerMinute = try reader.number("server.requestsPerMinute", default: 60_000, in: 1...100_000_000)
        minimumBytesPerSecond = try reader.number("server.minimumBytesPerSecond", default: 512, in: 0...1_000_000_000)
        slowTimeout = try .seconds(reader.number("server.slowTimeoutSeconds", default: 60, in: 1...3600))
        proxyKeys = try Self.proxyKeys(&reader)
        proxyCertificateField = reader.text("proxy.certificateField", default: "Client-Cert")
        proxyAddressField = reader.text("proxy.addressField", default: "X-Forwarded-For")
        idleTimeout = try .seconds(reader.number("server.idleTimeoutSeconds", default: 60, in: 1...3600))
        headerByteCount = try reader.number("server.headerByteCount", default: 32_768, in: 4096...1_048_576)
        shutdownGrace = try .seconds(reader.number("server.shutdownGraceSeconds", default: 20, in: 0...600))
        pickerEmbeddingOrigins = try Self.origins(&reader)
        mapLink = try Self.mapLink(&reader)
        isEnrollmentOpen = try reader.flag("enrollment.open", default: false)
        pendingDeviceCount = try reader.number("enrollment.pendingCount", default: 100, in: 1...100_000)
        openUploads = try reader.number(
            "device.openUploads",
            default: APILimits.openUploadsPerDevice,
            in: 1...1_000_000
        )
        quotaAssets = try reader.number("device.quotaAssets", default: 10_000_000, in: 0...1_000_000_000)
        quotaMebibytes = try reader.number("device.quotaMebibytes", default: 1 << 20, in: 0...1_000_000_000)
        changesPerDay = try reader.number("device.changesPerDay", default: 1_000_000, in: 0...1_000_000_000)
        mediaWorkers = try reader.number("media.workers", default: 2, in: 0...64)
        mediaMemoryMebibytes = try reader.number("media.memoryMebibytes", default: 1024, in: 128...65_536)
        uploadPriority = try .seconds(reader.number("media.uploadPrioritySeconds", default: 2, in: 0...3600))
        mediaProgram = reader.text("media.program", default: "tintype-media")
        logLevel = try Self.logLevel(&reader)
        logFormat = try reader.value(
            "log.format",
            default: .text,
            expected: LogFormat.allCases.map(\.rawValue).joined(separator: " or "),
            parse: { LogFormat(rawValue: $0) }
        )
        try reader.finish()
    }

    private static func mapLink(_ reader: inout SettingsReader) throws(SettingsError) -> MapLink? {
        try reader.value(
            "page.mapLink",
            default: nil,
            expected: "an address such as https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}",
            parse: { text in text.isEmpty ? .some(nil) : MapLink(text).map(Optional.some) }
        )
    }

    private static func logLevel(_ reader: inout SettingsReader) throws(SettingsError) -> Logger.Level {
        try reader.value(
            "log.level",
            default: .info,
            expected: Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
            parse: { Logger.Level(rawValue: $0) }
        )
    }

    private static let usualLibraryPath = "/var/lib/tintype"

    /// The socket that operators' commands use by default.
    static let usualSocketPath = "\(usualLibraryPath)/admin.sock"

    /// `sun_path` of `sockaddr_un` less its closing NUL.
    private static let maximumSocketPathByteCount = 107

    private static func timeZone(_ reader: inout SettingsReader) throws(SettingsError) -> TimeZone {
        try reader.value(
            "library.timeZone",
            default: .current,
            expected: "a name of the time zone database such as Europe/Berlin or UTC",
            parse: { $0.isEmpty ? .current : TimeZone(identifier: $0) }
        )
    }

    private static func listen(_ reader: inout SettingsReader) throws(SettingsError) -> ListenAddress {
        try reader.value(
            "server.listen",
            default: ListenAddress(host: "0.0.0.0", port: 8443),
            expected: "an address and a port such as 0.0.0.0:8443",
            parse: { ListenAddress($0) }
        )
    }

    private static func origins(_ reader: inout SettingsReader) throws(SettingsError) -> [WebOrigin] {
        let texts = reader.texts("picker.embeddingOrigins", default: [])
        guard texts.count <= WebOrigin.maximumCount else {
            throw SettingsError(
                .invalidValue,
                "picker.embeddingOrigins: \(texts.count) origins; at most \(WebOrigin.maximumCount) are allowed"
            )
        }
        return try texts.map { text throws(SettingsError) -> WebOrigin in
            guard let origin = WebOrigin(text) else {
                throw SettingsError(
                    .invalidValue,
                    "picker.embeddingOrigins: \"\(text)\" is not an origin such as https://wall.example or "
                        + "https://wall.example:8443"
                )
            }
            return origin
        }
    }

    private static func hosts(_ reader: inout SettingsReader) throws(SettingsError) -> [HostAddress] {
        let texts = reader.texts("server.hosts", default: ["localhost", "127.0.0.1", "::1"])
        guard !texts.isEmpty else { throw SettingsError(.invalidValue, "server.hosts: name at least one") }
        return try texts.map { text throws(SettingsError) -> HostAddress in
            guard let host = HostAddress(text) else {
                throw SettingsError(.invalidValue, "server.hosts: \"\(text)\" is neither a name nor an address")
            }
            return host
        }
    }

    private static func proxyKeys(_ reader: inout SettingsReader) throws(SettingsError) -> [ContentDigest] {
        try reader.texts("proxy.keys", default: []).map { text throws(SettingsError) -> ContentDigest in
            guard let key = ContentDigest(text) else {
                throw SettingsError(.invalidValue, "proxy.keys: name each key by 64 hexadecimal digits")
            }
            return key
        }
    }

    /// The trusted proxies, and the fields they forward.
    var proxy: ProxySettings {
        ProxySettings(keys: Set(proxyKeys), certificateField: proxyCertificateField, addressField: proxyAddressField)
    }

    var store: LibraryStore.Settings {
        var store = LibraryStore.Settings()
        store.reservedByteCount = reservedByteCount
        store.timeZone = timeZone
        store.trashDuration = .seconds(trashDays * 86_400)
        store.quarantineDuration = .seconds(quarantineDays * 86_400)
        store.limits.quarantineDuration = store.quarantineDuration
        store.limits.openUploads = openUploads
        store.limits.assets = quotaAssets > 0 ? Int64(quotaAssets) : nil
        store.limits.bytes = quotaMebibytes > 0 ? Int64(quotaMebibytes) << 20 : nil
        return store
    }

    /// The folder of keys and certificates.
    package var authorityPath: String { "\(libraryPath)/authority" }
}

extension ServerSettings {
    /// The address by which boxes reach the server.
    ///
    /// - Parameter names: the hosts in its certificate.
    /// - Returns: the address, with a host that other machines can resolve if they can connect; nil if the system
    ///   chooses the port.
    package func deviceAddress(among names: [HostAddress]) -> String? {
        guard listen.port > 0 else { return nil }
        let isLocal = Self.isOfThisMachine(listen.host)
        let name = names.first { Self.isOfThisMachine($0.description) == isLocal }
        return (name ?? names.first).map { "https://\(ListenAddress(host: $0.description, port: listen.port))" }
    }

    /// Whether only this machine can connect to the host.
    private static func isOfThisMachine(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}

/// Where a server listens.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// A name or an address of this machine.
    package let host: String
    /// The port; 0 lets the system choose one.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, with an IPv6 address in brackets.
    package init?(_ description: String) {
        guard let colon = description.lastIndex(of: ":"),
            let port = UInt16(description[description.index(after: colon)...])
        else { return nil }
        var host = String(description[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard HostAddress(host) != nil else { return nil }
        self.init(host: host, port: Int(port))
    }

    /// `host:port`.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
