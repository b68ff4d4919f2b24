import Capture
import SystemPackage

/// The address of a line: its chip and number.
struct GPIOLineAddress: Hashable, Sendable {
    /// The chip's device node, such as `/dev/gpiochip0`.
    let chip: String
    /// The line's number on it.
    let offset: UInt32

    /// Converts an error number into this line's error.
    func calling<Value>(_ verb: String, _ call: () throws(Errno) -> Value) throws(CaptureError) -> Value {
        do throws(Errno) {
            return try call()
        } catch {
            let (code, advice): (CaptureError.Code, String) =
                switch error {
                case .resourceBusy: (.deviceBusy, "another program uses it")
                case .permissionDenied, .notPermitted: (.notAuthorized, "give the service access to the gpio group")
                case .noSuchFileOrDirectory, .deviceGone, .noSuchAddressOrDevice: (.deviceLost, "it is not there")
                case .invalidArgument: (.unsupported, "the chip has no such line, or not that resistor")
                default: (.deviceFailed, "the driver failed")
                }
            throw CaptureError(code, "cannot \(verb) line \(offset) of \(chip): \(advice)", cause: error)
        }
    }
}
