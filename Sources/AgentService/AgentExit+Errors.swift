package import AgentCapture
import AgentStore
import BoxIdentity
import Capture
import DeviceIdentity
import LibraryAPI
import LibraryClient
import MediaEncoding
import Persistence
import PhotoLibrary
import Settings

extension AgentExit {
    /// The exit status of our own errors; nil for command line errors.
    package init?(for error: any Error) {
        switch error {
        case let error as AgentError: self = error.exit
        case is SettingsError: self = .configuration
        case let error as AgentStoreError: self.init(error)
        case let error as LibraryClientError: self.init(error)
        case let error as PhotoLibraryError: self.init(error)
        case let error as BoxIdentityError: self = error.code == .notEnrolled ? .configuration : .failed
        case let error as TransportError: self.init(LibraryClientError(error))
        case let error as CaptureError:
            switch error.code {
            case .notAuthorized, .consentWithdrawn: self = .notAllowed
            default: self = .failed
            }
        case let error as PersistenceError: self = error.code == .noSpace ? .full : .failed
        case is MediaEncodingError, is DeviceIdentityError, is CancellationError: self = .failed
        default: return nil
        }
    }

    private init(_ error: PhotoLibraryError) {
        if let cause = error.cause as? LibraryClientError {
            self.init(cause)
            return
        }
        switch error.code {
        case .notAuthorized: self = .notAllowed
        case .notEnrolled: self = .configuration
        default: self = .failed
        }
    }

    private init(_ error: LibraryClientError) {
        switch error.code {
        case .transport, .malformedAnswer: self = .unreachable
        case .refused(let code):
            switch code {
            case .denied, .restricted, .identityRevoked, .insufficientScope, .operatorsOnly, .enrollmentTokenInvalid:
                self = .notAllowed
            case .notDetermined: self = .held
            default: self = .failed
            }
        }
    }
}
