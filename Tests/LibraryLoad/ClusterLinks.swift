import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel

/// The links of `Tests/Cluster/links.py` between each server of a cluster and its database and store.
struct ClusterLinks: Sendable {
    /// What a server can be cut off from.
    enum Side: String, Sendable { case database, store }

    /// What happens to new connections of a link that is cut.
    enum Way: String, Sendable { case refuse, silence }

    private let transport: any Transport

    /// Finds the links' socket below a cluster's folder.
    init(folder: URL) throws {
        transport = try LibraryClient.operators(at: folder.appending(path: "links.sock")).transport
    }

    /// Ends a server's connections to a side, and lets none through.
    func cut(_ server: ClusterServer, from side: Side, _ way: Way) async throws {
        try await order("cut \(server.name) \(side.rawValue) \(way.rawValue)")
    }

    /// Lets everything of a server through again.
    func heal(_ server: ClusterServer) async throws { try await order("heal \(server.name)") }

    /// Spoils a share of the store's answers, in percent; 0 ends that.
    func spoilAnswers(percent: Int, seed: UInt64 = 0) async throws {
        try await order("store-faults \(Double(percent) / 100) \(seed)")
    }

    /// How many requests the store was sent, and how many answers were spoilt, by kind.
    func counts() async throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: Data(try await order("counts")))
    }

    @discardableResult
    private func order(_ command: String) async throws -> [UInt8] {
        let answer = try await transport.send(TransportRequest("POST", "/", body: .bytes(Array(command.utf8))))
        guard answer.status == 200 else {
            throw LoadError("the links refuse \(String(decoding: answer.body, as: UTF8.self))")
        }
        return answer.body
    }
}

/// One server of a cluster, asked without HAProxy in between.
struct ClusterServer: LoadTarget {
    /// As `deploy/cluster` calls it.
    let name: String
    private let folder: URL
    private let socket: LibraryClient
    private let port: Int
    private let proxy: any Transport
    /// HAProxy's `timeout check`: an answer that takes longer counts as none.
    private static let checkTimeout = Duration.seconds(2)

    /// Finds a server below a cluster's folder.
    ///
    /// - Parameters:
    ///   - number: its number, from 1.
    ///   - folder: the cluster's folder.
    /// - Throws: when there is no such cluster.
    init(_ number: Int, of folder: URL) throws {
        name = "server-\(number)"
        self.folder = folder.appending(path: name)
        socket = try .operators(at: self.folder.appending(path: "admin.sock"))
        // As deploy/cluster.sh divides them.
        let ports = try String(contentsOf: folder.appending(path: "ports"), encoding: .utf8)
            .split { !$0.isNumber }.compactMap { Int($0) }
        guard ports.count >= 24, let page = ServerOrigin.foreign("http://127.0.0.1:\(ports[2])") else {
            throw LoadError("\(folder.path) names no ports")
        }
        port = ports[15 + number]
        proxy = try CurlTransport(CurlSettings(origin: page.origin, trust: page.trust))
    }

    func operators() -> LibraryClient { socket }

    func client(identity: CurlSettings.Identity?, connections: Int) throws -> LibraryClient {
        try .overTLS(at: port, authorityOf: folder, identity: identity, connections: connections)
    }

    /// Whether it says that it is ready, in the time that HAProxy gives it.
    func isReady() async -> Bool {
        var client = socket
        client.timeout = Self.checkTimeout
        return (try? await client.perform(.readiness)) != nil
    }

    /// Whether HAProxy sends it requests, as its status page says.
    func isInUse() async throws -> Bool {
        let answer = try await proxy.send(TransportRequest("GET", "/;csv"))
        let line = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("servers,\(name),") }
        let columns = line?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard columns.count > 17 else { throw LoadError("HAProxy does not know \(name)") }
        // `UP 1/2` on its way down, `DOWN 1/2` on its way up.
        return columns[17].hasPrefix("UP")
    }
}

extension LoadDevice {
    /// The same device, connected to one server.
    func connected(to server: ClusterServer) throws -> LoadDevice {
        LoadDevice(id: id, client: try server.client(identity: identity, connections: 2), identity: identity)
    }

    /// Asks for what needs no store: a page of the list, and one of the changes.
    ///
    /// - Throws: what is refused, or takes longer than the wait for a store would be noticed.
    func readRows() async throws {
        var client = client
        client.timeout = .seconds(10)
        let query = AssetQuery(options: FetchOptions(), limit: 10, cursor: nil)
        let _: AssetPage = try await client.call(.assets, query: query.items)
        _ = try await client.changes(since: nil, limit: 10)
    }
}
