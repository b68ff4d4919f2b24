import Authorization
import DeviceIdentity
import Hummingbird
import LibraryAPI
import LibraryStore

extension ProblemDetails {
    /// The problem for a caller; it reveals no internals of errors the caller cannot fix.
    init(answering error: any Error) {
        switch error {
        case let problem as ProblemDetails: self = problem
        case let error as StoreError: self = error.details
        case let error as DecodingError: self.init(error)
        case let error as DeviceIdentityError: self.init(error)
        case let error as AuthorizationError: self.init(error)
        case let error as HTTPError: self.init(error)
        case is CancellationError: self.init(.unavailable, "The server is stopping: try again.", retryAfterSeconds: 5)
        default:
            // Errors of disks and databases: no space, busy, damaged.
            let wrapped = StoreError.wrapping(error)
            if wrapped.code == .internalError {
                self.init(.internalError, "The server failed; its log has details under the request's identifier.")
            } else {
                self = wrapped.details
            }
        }
    }

    private init(_ error: DeviceIdentityError) {
        switch error.code {
        case .requestTooLarge: self.init(.tooLarge, error.message)
        case .keyMalformed, .keyUnsupported, .requestForbidden, .requestMalformed, .requestSignatureInvalid,
            .tokenMalformed, .certificateMalformed, .certificateUntrusted:
            self.init(.malformedRequest, error.message)
        case .fileExists, .fileFailed, .fileInsecure, .signingFailed:
            self.init(.internalError, "The server failed; its log has details under the request's identifier.")
        }
    }

    /// The framework's own errors: an unknown path, a wrong method.
    private init(_ error: HTTPError) {
        switch error.status.code {
        case 404: self.init(.notFound, "There is no such route: see /v1/openapi.yaml.")
        case 405: self.init(.methodNotAllowed, "The route does not support the method: see /v1/openapi.yaml.")
        case 413: self.init(.tooLarge, "The body is too large.")
        case 400..<500: self.init(.malformedRequest, error.body ?? "The request cannot be read.")
        default: self.init(.internalError, "The server failed; its log has details under the request's identifier.")
        }
    }
}
