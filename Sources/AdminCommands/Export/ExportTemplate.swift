import ArgumentParser
import PhotoModel

/// Where an asset's files go below the export's folder: a path with placeholders in braces.
///
/// Values are sanitized to single names, so that no album title leads out of the folder.
struct ExportTemplate: ExpressibleByArgument, Hashable {
    enum Placeholder: String, CaseIterable {
        /// From the capture date, in local time where that is known.
        case year, month, day, hour, minute, second
        /// The device's name, or `operator`.
        case device
        /// The first of its albums by title, or `no album`.
        case album
        /// Its file's original name, without the extension.
        case name
        /// Its kind: `image`, `live photo`, `video`, `audio`.
        case kind
        /// Its identifier.
        case id
    }

    private enum Part: Hashable {
        case text(String)
        case value(Placeholder)
    }

    /// Names on most file systems have at most 255 bytes; extensions and suffixes that distinguish twins need some.
    private static let maximumNameByteCount = 180

    /// The template as it was given.
    let text: String
    private let names: [[Part]]

    var defaultValueDescription: String { text }

    /// By year, month and day, with the original file names.
    static let standard = ExportTemplate(
        text: "{year}/{year}-{month}-{day}/{name}",
        names: [
            [.value(.year)], [.value(.year), .text("-"), .value(.month), .text("-"), .value(.day)], [.value(.name)],
        ]
    )

    private init(text: String, names: [[Part]]) {
        self.text = text
        self.names = names
    }

    /// Parses a template; nil for an unknown placeholder, or a path that is absolute, empty, or leads upwards.
    init?(argument: String) {
        var names: [[Part]] = []
        for component in argument.split(separator: "/", omittingEmptySubsequences: false) {
            guard let parts = Self.parts(of: component), component != ".", component != ".." else { return nil }
            names.append(parts)
        }
        self.init(text: argument, names: names)
    }

    private static func parts(of component: Substring) -> [Part]? {
        var parts: [Part] = []
        var rest = component
        while let brace = rest.firstIndex(of: "{") {
            if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
            guard let end = rest[brace...].firstIndex(of: "}"),
                let placeholder = Placeholder(rawValue: String(rest[rest.index(after: brace)..<end]))
            else { return nil }
            parts.append(.value(placeholder))
            rest = rest[rest.index(after: end)...]
        }
        guard !rest.contains("}") else { return nil }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return parts.isEmpty ? nil : parts
    }

    /// An asset's folders and, last, its base name, each sanitized; there is no device if an operator uploaded it.
    func path(of asset: Asset, device: String?, album: String?) -> [String] {
        let time = asset.civilCaptureTime
        return names.map { parts in
            Self.name(
                parts.map { part in
                    switch part {
                    case .text(let text): text
                    case .value(let placeholder): Self.value(placeholder, asset, time, device, album)
                    }
                }.joined()
            )
        }
    }

    private static func value(
        _ placeholder: Placeholder,
        _ asset: Asset,
        _ time: CivilTime,
        _ device: String?,
        _ album: String?
    ) -> String {
        switch placeholder {
        case .year: digits(time.year, 4)
        case .month: digits(time.month, 2)
        case .day: digits(time.day, 2)
        case .hour: digits(time.hour, 2)
        case .minute: digits(time.minute, 2)
        case .second: digits(time.second, 2)
        case .device: device ?? "operator"
        case .album: album ?? "no album"
        case .name:
            asset.primaryResource?.originalFilename.map { String(decoding: $0.stem, as: UTF8.self) } ?? "\(asset.id)"
        // Folders of earlier exports keep their names.
        case .kind: asset.mediaName
        case .id: "\(asset.id)"
        }
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// Sanitizes a text to one name, without anything that troubles a file system or another system's tools.
    private static func name(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            let isForeign = scalar.value < 0x20 || scalar.value == 0x7F || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
            name.unicodeScalars.append(isForeign || scalar.properties.generalCategory == .format ? "_" : scalar)
        }
        while name.utf8.count > maximumNameByteCount { name.removeLast() }
        while name.hasPrefix(".") || name.hasPrefix(" ") { name.removeFirst() }
        while name.hasSuffix(".") || name.hasSuffix(" ") { name.removeLast() }
        return name.isEmpty ? "_" : name
    }
}
