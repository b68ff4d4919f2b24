/// A change of a control, as a person writes it: `brightness=140`, `auto_exposure=Manual Mode`, `gain=default`.
package struct CaptureControlChange: Hashable, Sendable {
    /// Which control: its short name, its name, or its number (`0x00980900`).
    package let name: String
    /// What it is to be: a number, an item of its menu, `on` or `off`, or `default`.
    package let value: String

    /// Reads a change.
    ///
    /// - Parameter text: the name, `=` and the value; blanks around them count for nothing.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (name, value) = (parts[0], parts[1])
    }

    /// What the change means for a camera.
    ///
    /// - Parameter controls: those that the camera has now.
    /// - Returns: the control, and the value that it takes.
    /// - Throws: `unsupported` when there is no such control, when it does not take the value, or cannot be set now.
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
    /// Its name in one word, as `v4l2-ctl` writes it: `White Balance, Automatic` is `white_balance_automatic`.
    package var shortName: String {
        let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.joined(separator: "_")
    }

    /// Whether a value is one of the control's.
    package func accepts(_ value: Int64) -> Bool {
        range.contains(value) && (menu.isEmpty || menu.contains { $0.value == value })
    }

    /// What it takes, for people.
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
