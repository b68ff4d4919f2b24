import DeviceIdentity
import Foundation
import LibraryStore
import Logging
import ObjectStorage
import PhotoModel
import Settings

extension ServerEnvironment {
    private static let maximumSecretByteCount = 1024

    /// The configured place of the originals, after checking that it works.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - logger: logs what an administrator should know about the store.
    /// - Returns: the originals' place.
    /// - Throws: `SettingsError` naming the setting to change, ``ServerError`` if the store is unreachable.
    static func originals(_ settings: ServerSettings, logger: Logger) async throws -> Originals {
        guard case .bucket(let bucket) = settings.originals else { return .folder }
        let credentials = ObjectStoreCredentials(accessKey: bucket.accessKey, secretKey: try secretKey(bucket))
        let client: ObjectClient
        do {
            client = try ObjectClient(
                bucket.location,
                credentials: credentials,
                authorities: bucket.authorities.isEmpty ? nil : bucket.authorities,
                now: systemTime
            )
        } catch {
            throw SettingsError(
                .invalidValue,
                "s3.authorities: \(bucket.authorities) holds no readable certificates (\(error)): name a PEM file"
            )
        }
        let report: ObjectStoreProbe.Report
        do {
            report = try await ObjectStoreProbe(client).run("probe-\(UInt64.random(in: .min ... .max))")
        } catch ObjectStoreProbe.Problem.away(let reason) {
            throw ServerError(
                .storeAway,
                "s3.endpoint: the store at \(Self.address(bucket)) cannot be reached (\(reason)): start it, or correct the address"
            )
        } catch let problem as ObjectStoreProbe.Problem {
            throw SettingsError(.invalidValue, advice(problem, bucket))
        }
        if !bucket.location.isSecure, !["127.0.0.1", "[::1]", "localhost"].contains(bucket.location.host) {
            logger.warning("s3.endpoint uses http: anyone on the network path to the store can read originals")
        }
        if !report.comparesChecksums {
            logger.notice("the store does not verify checksums: every stored object is read back")
        }
        if report.confirmsEarlyByDefault {
            logger.notice(
                "SeaweedFS confirms objects before they are on disk, unless fs.configure has set -fsync for the bucket"
            )
        }
        return .bucket(client, readsBack: bucket.verifiesAlways || !report.comparesChecksums)
    }

    /// The secret, from the configured file, the service manager's credential, or the environment.
    private static func secretKey(_ bucket: OriginalsSettings.Bucket) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let credential = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/s3-secret-key" }
        let source: String
        let text: String
        do {
            if !bucket.secretKeyFile.isEmpty {
                source = bucket.secretKeyFile
                text = try PrivateFile.readSecret(bucket.secretKeyFile)
            } else if let credential, FileManager.default.fileExists(atPath: credential) {
                // The service manager protects its folder; with an access list, the file's mode shows the list's mask.
                source = credential
                text = try PrivateFile.readPublic(credential)
            } else {
                source = "TINTYPE_S3_SECRET_KEY"
                text = environment["TINTYPE_S3_SECRET_KEY"] ?? ""
            }
        } catch {
            throw SettingsError(.invalidValue, "s3.secretKeyFile: \(error)")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard 1...maximumSecretByteCount ~= secret.utf8.count, secret.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) else {
            throw SettingsError(
                .invalidValue,
                "s3.secretKeyFile: \(source) holds no secret key: name a file (mode 0600) with the secret of s3.accessKey in "
                    + "one line, load the credential s3-secret-key in the unit, or set TINTYPE_S3_SECRET_KEY"
            )
        }
        return secret
    }

    private static func address(_ bucket: OriginalsSettings.Bucket) -> String {
        let location = bucket.location
        return "\(location.isSecure ? "https" : "http")://\(location.host):\(location.port)"
    }

    private static func advice(_ problem: ObjectStoreProbe.Problem, _ bucket: OriginalsSettings.Bucket) -> String {
        let location = bucket.location
        let place = address(bucket)
        return switch problem {
        case .away(let reason), .endpoint(let reason):
            "s3.endpoint: no S3 store answers at \(place) (\(reason)): check the address"
        case .certificate:
            "s3.authorities: the certificate of \(place) is not trusted, or names another host: name a PEM file with the "
                + "authority that issued it, and use a host that it names in s3.endpoint"
        case .region(let code):
            "s3.region: \"\(location.region)\" is not the bucket's region (\(code)): set its region"
        case .bucket:
            "library.originals: there is no bucket \(location.bucket) at \(place): create it, or name another one"
        case .credentials(let code):
            "s3.accessKey: the store refuses the key \(bucket.accessKey) with its secret (\(code)): check s3.accessKey and "
                + "s3.secretKeyFile"
        case .permission(let operation):
            "s3.accessKey: the key \(bucket.accessKey) may not \(operation) in the bucket \(location.bucket): allow it to "
                + "list, read, write and delete there"
        case .store(let difference): "library.originals: the store at \(place) cannot be used: \(difference)"
        }
    }
}
