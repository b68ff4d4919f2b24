import ArgumentParser
import PhotoModel

/// A length of time on the command line: a number and `s`, `m`, `h`, `d` or `w`.
struct TimeSpan: ExpressibleByArgument, Hashable {
    private static let secondsByUnit: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Whole seconds, at least 1.
    let seconds: Int64

    /// What help shows as a default.
    var defaultValueDescription: String { seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds)s" }

    init(seconds: Int64) { self.seconds = seconds }

    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.secondsByUnit[$0] }),
            argument.dropLast().allSatisfy(\.isASCII), let count = Int64(argument.dropLast()), count > 0
        else { return nil }
        let (seconds, overflowed) = count.multipliedReportingOverflow(by: unit)
        guard !overflowed else { return nil }
        self.seconds = seconds
    }
}

/// A time on the command line: ISO 8601 with an offset, a day or a time on the clock at the place of a capture, or how long ago
/// (`7d`).
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

    /// The end of a range of captures that it is.
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
/// - Throws: the names that there are.
func choice<Value: CaseIterable & RawRepresentable<String>>(_ argument: String) throws -> Value {
    func letters(_ text: String) -> String { text.lowercased().filter { $0 != "-" } }
    guard let value = Value.allCases.first(where: { letters($0.rawValue) == letters(argument) }) else {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("“\(argument)” is none of \(names).")
    }
    return value
}

extension FetchOptions.SortDescriptor {
    /// Reads a key, with a minus for largest first.
    init(argument: String) throws {
        let isAscending = !argument.hasPrefix("-")
        guard let key = FetchOptions.SortKey(rawValue: isAscending ? argument : String(argument.dropFirst())) else {
            let keys = FetchOptions.SortKey.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("“\(argument)” is no order: write one of \(keys), with a minus for largest first.")
        }
        self.init(key: key, isAscending: isAscending)
    }
}

/// Reads an identifier in its own form.
///
/// - Throws: what is expected, for people.
func identifier<Value: LosslessStringConvertible>(_ text: String) throws -> Value {
    guard let value = Value(text) else {
        throw ValidationError("“\(text)” is no identifier: take one from a list, for example with --quiet.")
    }
    return value
}
