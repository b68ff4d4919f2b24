import Foundation
import PhotoModel
import Testing

@testable import LibraryStore

/// The contract of the database below the metadata: every engine passes each of these, over an empty library's tables.
struct RowStoreContract: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (any RowStore) async throws -> Void

    private init(_ name: String, _ check: @escaping @Sendable (any RowStore) async throws -> Void) {
        testDescription = name
        self.check = check
    }

    private struct Refusal: Error {}

    private static let insertion = "INSERT INTO record (kind, id, secondary, expires, document) VALUES (?, ?, ?, ?, ?)"
    private static let ids = "SELECT id FROM record ORDER BY id"

    private static func insert(_ id: UInt8, _ database: any SQLSession) throws {
        try database.execute(insertion, ["k", Data([id]), nil, nil, "\"\(id)\""])
    }

    static let promises = [
        RowStoreContract("values come back as they went in, by name and by place") { rows in
            let id = Data([0, 255, 39, 92])
            let arguments: SQLArguments = ["k", id, nil, Int64.min, "\"é'\\u0041\""]
            let (row, bytes) = try await rows.write([]) { database in
                try database.execute(insertion, arguments)
                let sql =
                    "SELECT document, expires, secondary, id FROM record WHERE kind = ?1 AND id = ?2 AND kind = ?1"
                let cursor = try database.cursor(sql, ["k", id])
                #expect(try cursor.next() && cursor.columns == ["document", "expires", "secondary", "id"])
                return (try database.row(sql, ["k", id]), try cursor.bytes(at: 0))
            }
            let found = try #require(row)
            #expect(try found["document"] == "\"é'\\u0041\"" && found[1] == Int64.min && found["id"] == id)
            #expect(try found["secondary"] as Data? == nil)
            #expect(bytes == Array("\"é'\\u0041\"".utf8))
        },
        RowStoreContract("a value of another type, or a column that is not there, is damage and no crash") { rows in
            let row = try await rows.write([]) { database in
                try insert(1, database)
                return try #require(try database.row("SELECT id, secondary FROM record"))
            }
            #expect(throws: RowDamage.self) { try row["id"] as Int64 }
            #expect(throws: RowDamage.self) { try row["secondary"] as Data }
            #expect(throws: RowDamage.self) { try row["absent"] as Data? }
            await #expect(throws: RowDamage.self) {
                try await rows.read { try $0.values(String.self, ids) }
            }
        },
        RowStoreContract("conditions are told as 0 and 1, sums as integers, and nothing as nil") { rows in
            try await rows.write([]) { database in
                #expect(try database.value(Bool.self, "SELECT EXISTS (SELECT 1 FROM record)") == false)
                #expect(try database.value(Int64.self, "SELECT sum(expires) FROM record") == nil)
                #expect(try database.value(Data.self, ids) == nil)
                for id: UInt8 in 1...3 {
                    try database.execute(insertion, ["k", Data([id]), nil, Int(id), "null"])
                }
                #expect(try database.value(Int64.self, "SELECT sum(expires) FROM record") == 6)
                #expect(try database.value(Bool.self, "SELECT expires > 2 FROM record ORDER BY id LIMIT 1") == false)
                #expect(try database.values(Data.self, ids) == [Data([1]), Data([2]), Data([3])])
                try database.execute("DELETE FROM record WHERE expires > ?", [1])
                #expect(try database.changesCount == 2)
                try database.execute("DELETE FROM record WHERE expires > ?", [1])
                #expect(try database.changesCount == 0)
            }
        },
        RowStoreContract("what throws, or says so in a savepoint, leaves nothing behind") { rows in
            await #expect(throws: Refusal.self) {
                try await rows.write([.library]) { database in
                    try insert(1, database)
                    throw Refusal()
                }
            }
            try await rows.write([.library]) { database in
                try insert(2, database)
                try database.savepoint {
                    try insert(3, database)
                    return false
                }
                #expect(throws: Refusal.self) {
                    try database.savepoint {
                        try insert(4, database)
                        throw Refusal()
                    }
                }
                // What the engine refuses is undone as well, and the transaction goes on.
                #expect(throws: (any Error).self) {
                    try database.savepoint {
                        try insert(2, database)
                        return true
                    }
                }
                try database.savepoint {
                    try insert(5, database)
                    return true
                }
            }
            #expect(try await rows.read { try $0.values(Data.self, ids) } == [Data([2]), Data([5])])
        },
        RowStoreContract("what the engine refuses is thrown before the transaction ends, and nothing of it stays") {
            rows in
            await #expect(throws: (any Error).self) {
                try await rows.write([.library]) { database in
                    for id: UInt8 in [1, 2, 1, 3] { try insert(id, database) }
                }
            }
            #expect(try await rows.read { try $0.values(Data.self, ids) } == [])
            try await rows.write([.library]) { database in
                for id: UInt8 in 1...3 { try insert(id, database) }
                #expect(try database.values(Data.self, ids).count == 3, "a read sees every earlier write")
            }
        },
        RowStoreContract("a statement that is kept runs again, with other arguments, also when it was left early") {
            rows in
            try await rows.write([]) { database in
                for id: UInt8 in 1...3 { try insert(id, database) }
                let statement = try database.statement("SELECT id FROM record WHERE id > ? ORDER BY id")
                #expect(try statement.value(Data.self, [Data([1])]) == Data([2]))
                #expect(try statement.values(Data.self, [Data()]).count == 3)
                #expect(try statement.rows([Data([3])]).isEmpty)
            }
        },
        RowStoreContract("transactions that take the library's lock run one after the other") { rows in
            try await rows.write([.library]) { try insert(0, $0) }
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await rows.write([.library, .library]) { database in
                            let last = try database.value(Int.self, "SELECT coalesce(expires, 0) FROM record") ?? 0
                            try database.execute("UPDATE record SET expires = ?", [last + 1])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await rows.read { try $0.value(Int.self, "SELECT expires FROM record") } == 20)
        },
    ]
}
