import FoundationEssentials
import LibraryAPI
import PhotoModel

/// The parties whose requests end after decisions, for the library's other servers; only in an engine that servers can
/// share.
struct ClosureTable {
    let database: any SQLSession
    /// The deciding server.
    let origin: Int64
    /// The number of closures kept: others read them within seconds.
    static let keptCount: Int64 = 10_000

    /// Numbers and stores a party's closure, in a transaction with the library's lock.
    func add(_ party: Party) throws {
        let next = try database.statement(
            "UPDATE library SET closure_number = closure_number + 1 RETURNING closure_number"
        )
        guard let number = try next.value(Int64.self) else { throw RowDamage("no library row") }
        try database.statement("INSERT INTO closure (number, origin, kind, party) VALUES (?, ?, ?, ?)")
            .execute([number, origin, party.kind, party.blob])
        try database.statement("DELETE FROM closure WHERE number <= ?").execute([number - Self.keptCount])
    }
}

extension Party {
    fileprivate var kind: String {
        switch self {
        case .device: "device"
        case .operatorKey: "operatorKey"
        case .webSession: "webSession"
        case .pickerSession: "pickerSession"
        }
    }

    fileprivate var blob: Data {
        switch self {
        case .device(let id): id.blob
        case .operatorKey(let digest): digest.blob
        case .webSession(let id): id.blob
        case .pickerSession(let id): id.blob
        }
    }

    /// Reads a row's party; nil for a kind that only a newer server knows.
    ///
    /// - Throws: `RowDamage` for a party of the wrong size.
    init?(kind: String, blob: Data) throws {
        switch kind {
        case "device": self = .device(try DeviceID(blob: blob))
        case "operatorKey": self = .operatorKey(try ContentDigest(blob: blob))
        case "webSession": self = .webSession(try WebSessionID(blob: blob))
        case "pickerSession": self = .pickerSession(try PickerSessionID(blob: blob))
        default: return nil
        }
    }
}
