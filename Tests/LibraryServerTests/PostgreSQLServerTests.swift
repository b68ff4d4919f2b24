import Foundation
import LibraryAPI
import LibraryStore
import NIOCore
import NIOPosix
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import Settings
import TestSupport
import Testing

@testable import LibraryServer

/// A server whose rows are in PostgreSQL.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLServerTests {
    private static func flags(_ folder: String, _ schema: String, _ changes: [String] = []) -> [String] {
        [
            "library.metadata=postgres:///postgres?host=\(folder)&user=tintype&connect_timeout=300",
            "library.schema=\(schema)",
        ] + changes
    }

    @Test("Photos are saved, listed, searched, counted, edited and backed up", arguments: ["session", "transaction"])
    func serves(_ pooling: String) async throws {
        let server = try await TestServer.shared()
        try await TestServer.withSchemas { make in
            let flags = Self.flags(server.folder, try make().schema, ["library.pooling=\(pooling)"])
            try await RunningServer.run(flags: flags) { server in
                let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
                try await device.call(server) { client in
                    let photo = try TestPhoto.random(byteCount: 100)
                    _ = try await client.save(photo)
                    let path = "/v1/assets/\(photo.manifest.id)"
                    #expect(try await client.send("GET", path).status == 200)
                    let resource = "\(path)/resources/\(photo.manifest.resources[0].id)"
                    #expect(try await client.send("GET", resource).body == photo.bytes)
                    #expect(try await client.send("GET", "/readyz").status == 200)
                }
            }
        }
    }

    @Test("While the database is away the server is not ready and says when to ask again; afterwards it goes on")
    func away() async throws {
        let database = try await offTheSharedThreads { try TestServer() }
        try await RunningServer.run(flags: Self.flags(database.folder, "photos")) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let photo = try TestPhoto.random(byteCount: 100)
                _ = try await client.save(photo)
                try await database.control("stop -m immediate")
                #expect(try await client.send("GET", "/readyz").status == 503)
                let answer = try await client.send("GET", "/v1/assets/\(photo.manifest.id)")
                #expect(answer.status == 503)
                #expect(answer.headers["retry-after"] != nil)
                try await database.control("start")
                #expect(try await client.send("GET", "/readyz").status == 200)
                #expect(try await client.send("GET", "/v1/assets/\(photo.manifest.id)").status == 200)
                _ = try await client.save(try TestPhoto.random(byteCount: 100))
            }
        }
    }

    @Test("What is set wrong is refused before anything is made, with the setting's name and without a password")
    func refuses() async throws {
        let server = try await TestServer.shared()
        let folder = try TemporaryFolder()
        try await TestServer.withPool { pool in
            try await pool.write(lock: "") { try $0.run("CREATE TABLE occupied (n BIGINT)") }
            let place = "postgres:///postgres?host=\(server.folder)"
            for (change, name) in [
                ("library.metadata=\(place)&user=nobody_here", "library.metadata"),
                // It wants a password, and none is set.
                ("library.metadata=\(place)&user=secretive", "library.metadata"),
                ("library.metadata=postgres:///nowhere?host=\(server.folder)&user=tintype", "library.metadata"),
                ("library.schema=\(pool.settings.schema)", "library.schema"),
            ] {
                let flags = Self.flags(server.folder, "unused") + [change]
                let settings = try RunningServer.settings("\(folder.path)/library", flags: flags)
                let error = await #expect(throws: SettingsError.self) {
                    _ = try await ServerEnvironment.create(settings, logger: RunningServer.silence)
                }
                #expect(error?.description.hasPrefix(name) == true, "\(change): \(String(describing: error))")
                #expect(error?.description.contains("\n") == false, "one line")
            }
            let away = try RunningServer.settings("\(folder.path)/library", flags: Self.flags("/nowhere", "unused"))
            let error = await #expect(throws: ServerError.self) {
                _ = try await ServerEnvironment.create(away, logger: RunningServer.silence)
            }
            #expect(error?.code == .databaseAway && error?.message.hasPrefix("library.metadata") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/library"), "nothing is made")
    }

    @Test("Opening a library for begin-epoch begins a history, and serving it afterwards none")
    func beginsHistory() async throws {
        let server = try await TestServer.shared()
        try await TestServer.withSchemas { make in
            let folder = try TemporaryFolder()
            let flags = Self.flags(server.folder, try make().schema)
            let settings = try RunningServer.settings("\(folder.path)/library", flags: flags)
            let created = try await ServerEnvironment.create(settings, logger: RunningServer.silence)
            var histories = ["\(try await created.store.metadata.identity().epoch)"]
            created.store.close()
            for begins in [true, false] {
                let environment = try await ServerEnvironment.open(
                    settings,
                    beginsHistory: begins,
                    logger: RunningServer.silence
                )
                histories.append("\(try await environment.store.metadata.identity().epoch)")
                environment.store.close()
            }
            #expect(histories[1] != histories[0] && histories[2] == histories[1], "\(histories)")
        }
    }

    @Test("A schema that a newer program migrated is refused with the setting's name and what to do")
    func newerSchema() async throws {
        let server = try await TestServer.shared()
        try await TestServer.withSchemas { make in
            let schema = try make()
            let folder = try TemporaryFolder()
            let flags = Self.flags(server.folder, schema.schema)
            let settings = try RunningServer.settings("\(folder.path)/library", flags: flags)
            try await ServerEnvironment.create(settings, logger: RunningServer.silence).store.close()
            try await ConnectionPool(schema).write(lock: "") { connection in
                try connection.run("INSERT INTO schema_migrations VALUES (99, 'from a newer program', '')")
            }
            let error = await #expect(throws: SettingsError.self) {
                _ = try await ServerEnvironment.open(settings, logger: RunningServer.silence)
            }
            let words = try #require(error?.description)
            #expect(words.hasPrefix("library.schema: ") && words.contains("run the newer program"), "\(words)")
        }
    }

    @Test("Another library's database, and a schema without one, are refused with the setting's name and advice")
    func foreignRows() async throws {
        let server = try await TestServer.shared()
        try await TestServer.withSchemas { make in
            let folder = try TemporaryFolder()
            func settings(_ library: String, _ schema: String) throws -> ServerSettings {
                try RunningServer.settings("\(folder.path)/\(library)", flags: Self.flags(server.folder, schema))
            }
            let schemas = [try make().schema, try make().schema, try make().schema]
            for schema in schemas.prefix(2) {
                let own = try settings(schema, schema)
                try await ServerEnvironment.create(own, logger: RunningServer.silence).store.close()
            }
            for (schema, name) in [(schemas[1], "library.metadata: "), (schemas[2], "library.schema: ")] {
                let wrong = try settings(schemas[0], schema)
                let error = await #expect(throws: SettingsError.self) {
                    _ = try await ServerEnvironment.open(wrong, logger: RunningServer.silence)
                }
                let words = error?.description ?? ""
                #expect(words.hasPrefix(name) && words.contains(": name ") && !words.contains("\n"), "\(words)")
            }
        }
    }

    @Test("A database that asks for TLS with certificates that cannot be judged is refused with the setting's name")
    func untrusted() async throws {
        let database = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { $0.pipeline.addHandler(WillingDatabase()) }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(database.localAddress?.port)
        let folder = try TemporaryFolder()
        let place = "postgres://tintype@127.0.0.1:\(port)/photos?sslmode=verify-full&sslrootcert=/nowhere"
        let settings = try RunningServer.settings(
            "\(folder.path)/library",
            flags: ["library.metadata=\(place)&connect_timeout=300"]
        )
        let error = await #expect(throws: SettingsError.self) {
            _ = try await ServerEnvironment.create(settings, logger: RunningServer.silence)
        }
        let words = error?.description ?? ""
        #expect(words.hasPrefix("library.metadata: ") && words.contains("sslrootcert"), "\(words)")
        #expect(!words.contains("\n"), "one line")
        try await database.close()
    }

    @Test(
        "Settings that cannot be used are refused when they are read, with what to write, and tell no password",
        arguments: [
            ("library.metadata=mysql://photos:hush@host/x", "library.metadata: write sqlite, or the address"),
            ("library.metadata=postgres://photos:hush@host/x", "library.metadata: contains a password: put it"),
            ("library.metadata=postgres://host/x?hush=1", "library.metadata: not a database address: use"),
            ("library.schema=Photos;hush", "library.schema: not a valid schema name: use"),
            ("library.connections=1", "library.connections (--set library.connections) is \"1\": write"),
            ("library.pooling=hush", "library.pooling (--set library.pooling) is \"hush\": write session"),
            ("library.notices=mysql://photos:hush@host/x", "library.notices: write off, or the address"),
            ("library.notices=postgres://photos:hush@host/x", "library.notices: contains a password: put it"),
        ]
    )
    func unusable(flag: String, words: String) {
        let flags = ["library.metadata=postgres:///x", flag]
        let error = #expect(throws: SettingsError.self) { _ = try RunningServer.settings("/nowhere", flags: flags) }
        #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("photos:hush") == false)
        #expect(error?.description.contains("\n") == false, "one line")
    }
}

/// Says yes to whoever asks for TLS, as a database with a certificate does, and nothing more.
private final class WillingDatabase: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "S")), promise: nil)
    }
}
