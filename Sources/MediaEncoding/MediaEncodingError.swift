import Capture
import MediaFormats

/// Why media could not be encoded, decoded or written.
package struct MediaEncodingError: Error, Hashable, Sendable {
    /// The kind of failure.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The input is not what it claims to be.
        case damagedInput
        /// No codec or conversion exists for this.
        case unsupported
        /// A codec failed.
        case codecFailed
        /// The container could not be written.
        case containerFailed
        /// A system call on a file failed.
        case fileFailed
        /// The work was cancelled.
        case cancelled
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong, naming the file or codec.
    package let message: String
    /// The library's or system's error number; 0 if none.
    package let number: Int32

    package init(_ code: Code, _ message: String, number: Int32 = 0) {
        self.code = code
        self.message = message
        self.number = number
    }
}

extension CaptureError {
    /// The error of the module above, caused by this one.
    init(encoding error: any Error) {
        let code: Code =
            switch (error as? MediaEncodingError)?.code {
            case .damagedInput: .noFrame
            case .unsupported: .unsupported
            case .fileFailed: .storageFailed
            case .cancelled: .cancelled
            case .codecFailed, .containerFailed, nil: .encodingFailed
            }
        self.init(code, "the file of a capture could not be made", cause: error)
    }
}

extension MediaEncodingError {
    /// Makes a file's metadata; a value that no field can hold counts as damaged input.
    static func describing<Value>(_ body: () throws(MediaFormatError) -> Value) throws(MediaEncodingError) -> Value {
        do throws(MediaFormatError) {
            return try body()
        } catch {
            throw MediaEncodingError(.damagedInput, "the still cannot be described: \(error)")
        }
    }
}
