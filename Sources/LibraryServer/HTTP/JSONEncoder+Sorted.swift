import Foundation

extension JSONEncoder {
    /// Encodes with sorted keys, so that equal values have equal bytes, and with slashes as they are.
    static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
