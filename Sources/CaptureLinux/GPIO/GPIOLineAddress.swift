import Capture
import SystemPackage

/// Where a line is: on which chip, and which number it has there.
struct GPIOLineAddress: Hashable, Sendable {
    /// The chip's device node, such as `/dev/gpiochip0`.
    let chip: String
    /// The line's number on it.
    let offset: UInt32

    /// Turns an error number into what it means for this line.
    func calling<Value>(
        _ verb: String,
        _ call: () throws(Errno) -> Value
    ) throws(CaptureError) -> Value {
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
