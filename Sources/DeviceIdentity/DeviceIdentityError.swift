/// A failure with a key, a certificate, a signing request or a token.
package struct DeviceIdentityError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; a server turns a request's into a 4xx response, everything else is its own fault.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are not a certificate in strict DER.
        case certificateMalformed
        /// The certificate was not issued by a trusted authority.
        case certificateUntrusted
        /// A file that must be new already exists.
        case fileExists
        /// The operating system refused to read or write a file.
        case fileFailed
        /// A file with a secret is readable by others than its owner.
        case fileInsecure
        /// The bytes are not a private key.
        case keyMalformed
        /// The key is not on the curve P-256.
        case keyUnsupported
        /// The request asks for something that only the server decides: a name, or an authority's powers.
        case requestForbidden
        /// The bytes are not a signing request in strict DER.
        case requestMalformed
        /// The request is not signed by its own key.
        case requestSignatureInvalid
        /// The request is longer than ``SigningRequest/maximumByteCount``.
        case requestTooLarge
        /// The certificate library refused to sign.
        case signingFailed
        /// The text is not an enrolment token.
        case tokenMalformed
    }

    /// The kind of failure.
    package let code: Code
    /// What happened and what to do, for people.
    package let message: String
    /// The file, key or name it is about; empty if none.
    package let subject: String
    /// The underlying error, if any.
    package let cause: (any Error)?

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
