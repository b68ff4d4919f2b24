import Capture
import PhotoModel

/// A camera as the commands show it: for programs as JSON, for people as tables.
struct CameraDocument: Encodable {
    struct Format: Encodable {
        let pixelFormat: String
        let size: String
        let framesPerSecond: Double
        /// Whether the preset photo takes it.
        let isChosen: Bool
    }

    struct Control: Encodable {
        struct MenuItem: Encodable {
            let value: Int64
            let name: String
        }

        let id: UInt32
        let name: String
        let kind: String
        let minimum: Int64
        let maximum: Int64
        let step: UInt64
        let defaultValue: Int64
        let isWritable: Bool
        let menu: [MenuItem]
    }

    let id: String
    let model: String
    let manufacturer: String?
    let serialNumber: String?
    let consent: String
    /// Why formats and controls are not known; nil when they are.
    let problem: String?
    let formats: [Format]
    let controls: [Control]

    /// A camera as far as it is known.
    ///
    /// - Parameters:
    ///   - device: what it is and, where it was examined, its formats.
    ///   - consent: what was decided about it.
    ///   - controls: what can be set on it.
    ///   - problem: why it was not examined.
    init(
        _ device: CaptureDevice,
        consent: ConsentStatus,
        controls: [CaptureControl] = [],
        problem: String? = nil
    ) {
        self.problem = problem
        id = device.id.rawValue
        model = device.model
        manufacturer = device.manufacturer
        serialNumber = device.serialNumber
        self.consent = consent.rawValue
        let chosen = FormatChoice().format(among: device.formats)
        formats = device.formats.map { format in
            Format(
                pixelFormat: format.pixelFormat.description,
                size: format.size.description,
                framesPerSecond: format.frameInterval.framesPerSecond,
                isChosen: format == chosen
            )
        }
        self.controls = controls.map { control in
            Control(
                id: control.id,
                name: control.name,
                kind: control.kind.rawValue,
                minimum: control.range.lowerBound,
                maximum: control.range.upperBound,
                step: control.step,
                defaultValue: control.defaultValue,
                isWritable: control.isWritable,
                menu: control.menu.map { Control.MenuItem(value: $0.value, name: $0.name) }
            )
        }
    }
}

extension CameraDocument {
    /// How many rows of a table are shown to somebody who did not ask for all.
    private static let shownCount = 8

    /// Two tables for people.
    ///
    /// - Parameter all: whether every row is shown.
    /// - Returns: lines without a newline at the end.
    func text(all: Bool) -> String {
        let title = "\(Console.visible(model))  \(Console.visible(id))  consent: \(consent)"
        let tables: [String?] = [
            Self.table(["FORMAT", "SIZE", "FRAMES A SECOND"], formatRows, all: all),
            Self.table(["CONTROL", "DEFAULT", "VALUES"], controls.map(\.row), all: all),
        ]
        let problem = problem.map { "  \(Console.visible($0))" }
        return ([title, problem] + tables).compactMap(\.self).joined(separator: "\n")
    }

    /// One row for a pixel format and size, with its rates, in the order of the formats.
    private var formatRows: [[String]] {
        var rows: [[String]] = []
        for format in formats {
            let name = Console.visible(format.pixelFormat)
            let rate = Self.text(format.framesPerSecond) + (format.isChosen ? "*" : "")
            if let index = rows.firstIndex(where: { $0[0] == name && $0[1] == format.size }) {
                rows[index][2] += ", \(rate)"
            } else {
                rows.append([name, format.size, rate])
            }
        }
        return rows
    }

    private static func table(_ head: [String], _ rows: [[String]], all: Bool) -> String? {
        guard !rows.isEmpty else { return nil }
        let shown = all ? rows : Array(rows.prefix(shownCount))
        let left = rows.count - shown.count
        let text = Console.table([head] + shown) + (left > 0 ? "\nand \(left) more: --all" : "")
        return text.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    }

    /// A rate without digits that say nothing.
    private static func text(_ rate: Double) -> String {
        let hundredths = Int((rate * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension CameraDocument.Control {
    /// Name, default and values, for people.
    fileprivate var row: [String] {
        let fixed = isWritable ? "" : " (cannot be set now)"
        let chosen = menu.first { $0.value == defaultValue }.map { Console.visible($0.name) }
        let values =
            switch kind {
            case "menu": menu.map { "\($0.value) \(Console.visible($0.name))" }.joined(separator: ", ")
            case "boolean": "0 off, 1 on"
            default: "\(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
            }
        return [Console.visible(name), chosen ?? "\(defaultValue)", values + fixed]
    }
}
