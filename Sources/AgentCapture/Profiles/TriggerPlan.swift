package import Capture
import PhotoModel
import Settings

/// When to trigger the shutter; commands always work.
package struct TriggerPlan: Hashable, Sendable {
    /// How several triggers are combined (`trigger.rule`: any, or all within `trigger.withinMilliseconds`; default
    /// any).
    package var rule = TriggerCombination.Rule.any
    /// A fixed interval (`trigger.interval.milliseconds`, 0 for none, 20 to 604,800,000; default none).
    package var interval: Duration?
    /// Times of the day (`trigger.calendar.times`, such as `06:30`, `sunrise`, `sunset-00:30`; default none).
    package var moments: [CalendarSchedule.Moment] = []
    /// The days of the week (`trigger.calendar.weekdays`, 1 for Monday to 7 for Sunday; default all).
    package var weekdays = Set(1...7)
    /// Whether SIGUSR1 fires (`trigger.signal`, default false).
    package var isSignal = false
    /// An electrical input (`trigger.input`); nil for none.
    package var input: Input?
    /// Messages of an MQTT broker (`trigger.mqtt`); nil for none.
    package var mqtt: MQTTPlan?
    /// Motion in the picture (`trigger.motion`); nil for none.
    package var motion: MotionSettings?

    /// An electrical input.
    package struct Input: Hashable, Sendable {
        /// The chip's device node (`trigger.input.chip`, such as `/dev/gpiochip0`; empty for no input).
        package var chip: String
        /// The line's number on the chip (`trigger.input.line`, 0 to 1,023).
        package var line: Int
        /// Which edges count (`trigger.input.edge`: rising, falling, both; default rising).
        package var edges: InputEdges
        /// Whether low means active, as with a button to ground (`trigger.input.activeLow`, default false).
        package var isActiveLow: Bool
        /// The resistor (`trigger.input.bias`: none, pullUp, pullDown; default none).
        package var bias: InputBias
        /// Changes sooner after another count as bounces (`trigger.input.quietMilliseconds`, 0 to 60,000, default 50).
        package var quietTime: Duration
    }

    /// Commands only.
    package init() {}

    /// Reads the keys below `trigger`.
    init(_ reader: inout SettingsReader) throws(SettingsError) {
        let isAll = try reader.choice("trigger.rule", default: RuleName.any) == .all
        let window = try reader.number("trigger.withinMilliseconds", default: 5000, in: 1...3_600_000)
        rule = isAll ? .all(within: .milliseconds(window)) : .any
        interval = try reader.value(
            "trigger.interval.milliseconds",
            default: nil,
            expected: "0, or a whole number from 20 to 604800000"
        ) { text in
            Int(text).flatMap { $0 == 0 ? .some(nil) : 20...604_800_000 ~= $0 ? .some(.milliseconds($0)) : nil }
        }
        for text in reader.texts("trigger.calendar.times", default: []) {
            guard let moment = CalendarSchedule.Moment(text) else {
                throw SettingsError(
                    .invalidValue,
                    "trigger.calendar.times has \"\(text)\": write 06:30, sunrise, or sunset-00:30"
                )
            }
            moments.append(moment)
        }
        let days = reader.texts("trigger.calendar.weekdays", default: ["1", "2", "3", "4", "5", "6", "7"])
        weekdays = Set(days.compactMap { Int($0) }.filter { 1...7 ~= $0 })
        guard weekdays.count == days.count, !weekdays.isEmpty else {
            throw SettingsError(.invalidValue, "trigger.calendar.weekdays: list days from 1 (Monday) to 7 (Sunday)")
        }
        isSignal = try reader.flag("trigger.signal", default: false)
        input = try Self.input(&reader)
        mqtt = try MQTTPlan.read(&reader)
        motion = try MotionSettings.read(&reader)
    }

    private enum RuleName: String, CaseIterable {
        case any, all
    }

    private static func input(_ reader: inout SettingsReader) throws(SettingsError) -> Input? {
        let chip = reader.text("trigger.input.chip")
        let line = try reader.number("trigger.input.line", default: 0, in: 0...1023)
        let edges = try reader.choice("trigger.input.edge", default: InputEdges.rising)
        let isActiveLow = try reader.flag("trigger.input.activeLow", default: false)
        let bias = try reader.choice("trigger.input.bias", default: InputBias.none)
        let quiet = try reader.number("trigger.input.quietMilliseconds", default: 50, in: 0...60_000)
        return chip.map {
            Input(
                chip: $0,
                line: line,
                edges: edges,
                isActiveLow: isActiveLow,
                bias: bias,
                quietTime: .milliseconds(quiet)
            )
        }
    }
}
