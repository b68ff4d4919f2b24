import Capture
import CaptureLinux
import PhotoModel

/// The output of `cameras`.
struct CameraList: Encodable {
    /// A camera sensor that cannot be used by itself.
    struct Sensor: Encodable {
        let driver: String
        let place: String
        /// The problem and what to do.
        let advice: String
    }

    let cameras: [CameraDocument]
    let sensors: [Sensor]
    /// Why cameras named in the settings are missing.
    let problems: [String]
    /// The H.264 encoder tried first for movies, by libavcodec's name; nil if unknown.
    let videoEncoder: String?

    init(cameras: [CameraDocument], sensors: [MediaController], problems: [CaptureError], videoEncoder: String? = nil) {
        self.cameras = cameras
        self.videoEncoder = videoEncoder
        self.problems = problems.map(\.message)
        self.sensors = sensors.map { Sensor(driver: $0.driver, place: $0.place, advice: $0.advice) }
    }

    /// Paragraphs for people.
    func text(all: Bool) -> String {
        let encoder = videoEncoder.map { "Movies are encoded by \($0)." }
        let remarks = sensors.map(\.advice) + problems + [encoder].compactMap(\.self)
        return (cameras.map { $0.text(all: all) } + remarks.map(Console.visible)).joined(separator: "\n\n")
    }
}

/// A camera as commands show it: as JSON for programs, as tables for people.
struct CameraDocument: Encodable {
    struct Format: Encodable {
        let pixelFormat: String
        let size: String
        let framesPerSecond: Double
        /// Whether the preset `photo` selects it.
        let isChosen: Bool
    }

    struct Control: Encodable {
        struct MenuItem: Encodable {
            let value: Int64
            let name: String
        }

        let id: UInt32
        let name: String
        /// The name that `controls` accepts.
        let shortName: String
        let kind: String
        let minimum: Int64
        let maximum: Int64
        let step: UInt64
        let defaultValue: Int64
        /// The current value; nil if not requested, or not reported by the driver.
        let value: Int32?
        let isWritable: Bool
        let menu: [MenuItem]
    }

    let id: String
    let model: String
    let manufacturer: String?
    let serialNumber: String?
    let consent: String
    /// Why formats and controls are unknown; nil if they are known.
    let problem: String?
    let formats: [Format]
    let controls: [Control]

    /// Describes a camera, or why it was not examined: its formats once examined, and its controls with their current
    /// values by number.
    init(
        _ device: CaptureDevice,
        consent: ConsentStatus,
        controls: [CaptureControl] = [],
        values: [UInt32: Int32] = [:],
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
                shortName: control.shortName,
                kind: control.kind.rawValue,
                minimum: control.range.lowerBound,
                maximum: control.range.upperBound,
                step: control.step,
                defaultValue: control.defaultValue,
                value: values[control.id],
                isWritable: control.isWritable,
                menu: control.menu.map { Control.MenuItem(value: $0.value, name: $0.name) }
            )
        }
    }
}

extension CameraDocument {
    /// The number of rows of a table shown without `--all`.
    private static let shownCount = 8

    /// Two tables for people, without the newline at the end.
    func text(all: Bool) -> String {
        let title = "\(Console.visible(model))  \(Console.visible(id))  consent: \(consent)"
        let tables: [String?] = [
            Self.table(["FORMAT", "SIZE", "FRAMES A SECOND"], formatRows, all: all),
            Self.table(controlHead, controls.map { $0.row(hasValues: hasValues) }, all: all),
        ]
        let problem = problem.map { "  \(Console.visible($0))" }
        return ([title, problem] + tables).compactMap(\.self).joined(separator: "\n")
    }

    private var hasValues: Bool { controls.contains { $0.value != nil } }

    private var controlHead: [String] { ["CONTROL"] + (hasValues ? ["VALUE"] : []) + ["DEFAULT", "VALUES"] }

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

    /// A rate without trailing zeros.
    private static func text(_ rate: Double) -> String {
        let hundredths = Int((rate * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension CameraDocument.Control {
    /// Name, current value if shown, default and allowed values, for people.
    fileprivate func row(hasValues: Bool) -> [String] {
        let fixed = isWritable ? "" : " (cannot be set now)"
        let values =
            switch kind {
            case "menu": menu.map { "\($0.value) \(Console.visible($0.name))" }.joined(separator: ", ")
            case "boolean": "0 off, 1 on"
            default: "\(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
            }
        // With values, the name is the one that `controls` accepts, so that it can be set.
        guard hasValues else { return [Console.visible(name), words(defaultValue), values + fixed] }
        return [Console.visible(shortName), value.map { words(Int64($0)) } ?? "", words(defaultValue), values + fixed]
    }

    /// A value for people: a menu item by its name.
    private func words(_ value: Int64) -> String {
        menu.first { $0.value == value }.map { Console.visible($0.name) } ?? "\(value)"
    }
}
