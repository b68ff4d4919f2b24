/// A control change as a person writes it: `brightness=140`, `auto_exposure=Manual Mode`, `gain=default`.
package struct CaptureControlChange: Hashable, Sendable {
    /// The control: its short name, name, or number (`0x00980900`).
    package let name: String
    /// The new value: a number, a menu item, `on` or `off`, or `default`.
    package let value: String

    /// Parses the name, `=` and the value; surrounding blanks are ignored.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (name, value) = (parts[0], parts[1])
    }

    /// Resolves the change to one of a camera's controls and its new value.
    ///
    /// - Throws: `unsupported` if the control does not exist, does not accept the value, or cannot currently be set.
    package func resolved(
        among controls: [CaptureControl]
    ) throws(CaptureError) -> (control: CaptureControl, value: Int32) {
        guard let control = controls.first(where: { $0.isCalled(name) }) else {
            let names = controls.map(\.shortName).joined(separator: ", ")
            throw CaptureError(.unsupported, "there is no control \(name): the camera has \(names)")
        }
        guard control.isWritable else {
            let advice = "an automatic that sets it must be switched off first, or the camera is busy"
            throw CaptureError(.unsupported, "\(control.shortName) cannot be set now: \(advice)")
        }
        guard let number = number(for: control), let value = Int32(exactly: number), control.accepts(number) else {
            throw CaptureError(.unsupported, "\(control.shortName) does not take \(value): \(control.choices)")
        }
        return (control, value)
    }

    private func number(for control: CaptureControl) -> Int64? {
        if value == "default" { return control.defaultValue }
        if control.kind == .boolean, let isOn = ["on": true, "off": false][value] { return isOn ? 1 : 0 }
        if let item = control.menu.first(where: { $0.name.lowercased() == value.lowercased() }) { return item.value }
        return Int64(value)
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension CaptureControl {
    /// Its one-word name, as in `v4l2-ctl`: `White Balance, Automatic` is `white_balance_automatic`.
    package var shortName: String {
        let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.joined(separator: "_")
    }

    /// Whether the control accepts a value.
    package func accepts(_ value: Int64) -> Bool {
        range.contains(value) && (menu.isEmpty || menu.contains { $0.value == value })
    }

    /// The accepted values, for people.
    package var choices: String {
        switch kind {
        case .menu where !menu.isEmpty: "it is one of " + menu.map { "\($0.value) \($0.name)" }.joined(separator: ", ")
        case .boolean: "it is on or off"
        default: "it goes from \(range.lowerBound) to \(range.upperBound)" + (step > 1 ? " in steps of \(step)" : "")
        }
    }

    fileprivate func isCalled(_ text: String) -> Bool {
        if text == name || text == shortName { return true }
        guard text.hasPrefix("0x") else { return false }
        return UInt32(text.dropFirst(2), radix: 16) == id
    }
}
