import Foundation

/// A table of test data: lines of cells, without comments and heading.
struct Fixture {
    let columns: [String]
    let rows: [[String]]

    /// Reads `Fixtures/<name>.csv`; no cell of these tables holds a comma.
    init(_ name: String) {
        let url = Bundle.module.bundleURL.appending(path: "Fixtures/\(name).csv")
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        columns = lines.first ?? []
        rows = Array(lines.dropFirst())
    }
}
