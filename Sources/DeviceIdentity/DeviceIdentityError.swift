/// What went wrong with a key, a certificate, a signing request or a token.
package struct DeviceIdentityError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; a server turns those of a request into a 4xx answer, everything else is its own fault.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are no certificate, or not one in strict DER.
        case certificateMalformed
        /// The certificate was not issued by an authority that is trusted here.
        case certificateUntrusted
        /// A file that must be new is there already.
        case fileExists
        /// The operating system refused to read or write a file.
        case fileFailed
        /// A file with a secret can be read by others than its owner.
        case fileInsecure
        /// The bytes are no private key.
        case keyMalformed
        /// A key that is not on the curve P-256.
        case keyUnsupported
        /// The request asks for something that only the server decides: another name, the powers of an authority.
        case requestForbidden
        /// The bytes are no signing request, or not one in strict DER.
        case requestMalformed
        /// The request is not signed by the key that it holds.
        case requestSignatureInvalid
        /// The request is longer than ``SigningRequest/maximumByteCount``.
        case requestTooLarge
        /// The library that makes certificates refused to.
        case signingFailed
        /// The text is no enrolment token.
        case tokenMalformed
    }

    /// The kind of failure.
    package let code: Code
    /// What happened and what to do, for people.
    package let message: String
    /// The file, key or name it is about; empty where there is none.
    package let subject: String
    /// The error underneath, where there is one.
    package let cause: (any Error)?

    /// Describes a failure.
    package init(_ code: Code, _ message: String, subject: String = "", cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
        self.cause = cause
    }

    /// The message with its subject and cause.
    package var description: String {
        var text = subject.isEmpty ? message : "\(subject): \(message)"
        if let cause { text += " (\(cause))" }
        return text
    }
}
