import ArgumentParser
import LibraryClient
import PhotoModel
import Terminal

extension TimeSpan: ExpressibleByArgument {}

/// A time on the command line: ISO 8601 with an offset, a day or local time at the place of capture, or an age (`7d`).
enum TimeArgument: ExpressibleByArgument, Hashable {
    case instant(WallTime)
    case local(LocalTime)
    case ago(TimeSpan)

    init?(argument: String) {
        if let time = WallTime(argument) {
            self = .instant(time)
        } else if let time = LocalTime(argument) {
            self = .local(time)
        } else if let span = TimeSpan(argument: argument) {
            self = .ago(span)
        } else {
            return nil
        }
    }

    /// The time as the end of a range of captures.
    func bound(now: WallTime) -> AssetFilter.DateBound {
        switch self {
        case .instant(let time): .instant(time)
        case .local(let time): .local(time)
        case .ago(let span): .instant(now.advanced(by: .seconds(-span.seconds)))
        }
    }
}

/// Reads one of the wire's names, which people may also write with dashes: `addOnly` and `add-only`.
///
/// - Throws: the valid names.
func choice<Value: CaseIterable & RawRepresentable<String>>(_ argument: String) throws -> Value {
    func letters(_ text: String) -> String { text.lowercased().filter { $0 != "-" } }
    guard let value = Value.allCases.first(where: { letters($0.rawValue) == letters(argument) }) else {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("“\(argument)” is not one of \(names).")
    }
    return value
}

extension FetchOptions.SortDescriptor {
    /// Reads a sort key; a minus means largest first.
    init(argument: String) throws {
        let isAscending = !argument.hasPrefix("-")
        guard let key = FetchOptions.SortKey(rawValue: isAscending ? argument : String(argument.dropFirst())) else {
            let keys = FetchOptions.SortKey.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("“\(argument)” is not an order: use one of \(keys), with a minus for largest first.")
        }
        self.init(key: key, isAscending: isAscending)
    }
}

/// Reads an identifier.
///
/// - Throws: the expected format, for people.
func identifier<Value: LosslessStringConvertible>(_ text: String) throws -> Value {
    guard let value = Value(text) else {
        throw ValidationError("“\(text)” is not an identifier: take one from a list, for example with --quiet.")
    }
    return value
}

/// Refuses a text that is not a server's address.
func requireAddress(_ server: String?) throws {
    guard let server, ServerOrigin(server) == nil else { return }
    throw ValidationError("“\(server)” is not a server's address: use https://host:port.")
}

/// Refuses a text that cannot be an album's title.
func requireTitle(_ title: String?) throws {
    guard let title, !(1...Album.maximumTitleByteCount).contains(title.utf8.count) else { return }
    throw ValidationError("A title has 1 to \(Album.maximumTitleByteCount) bytes of UTF-8.")
}
