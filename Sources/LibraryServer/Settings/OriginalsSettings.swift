package import ObjectStorage
import Settings

/// The place of a library's originals.
package enum OriginalsSettings: Sendable {
    /// In the library's folder.
    case folder
    /// In a bucket of an S3-compatible store.
    case bucket(Bucket)

    /// A bucket, and how to reach it.
    package struct Bucket: Sendable {
        /// Where it is.
        package let location: ObjectStoreLocation
        /// The name of the key that signs requests.
        package let accessKey: String
        /// The file that holds the key's secret; empty for the credential `s3-secret-key` of systemd, or the
        /// environment variable `TINTYPE_S3_SECRET_KEY`.
        package let secretKeyFile: String
        /// A file of certificates (PEM) to trust besides the machine's; empty for none.
        package let authorities: String
        /// Whether to read back everything stored even if the store compares checksums.
        package let verifiesAlways: Bool
    }

    /// Reads the settings.
    ///
    /// - Throws: `invalidValue` naming the setting.
    init(from reader: inout SettingsReader) throws(SettingsError) {
        let originals = reader.text("library.originals", default: "folder")
        let endpoint = reader.text("s3.endpoint", default: "")
        let region = reader.text("s3.region", default: "us-east-1")
        let addressing = try reader.value(
            "s3.addressing",
            default: .path,
            expected: ObjectStoreLocation.Addressing.allCases.map(\.rawValue).joined(separator: " or "),
            parse: { ObjectStoreLocation.Addressing(rawValue: $0) }
        )
        let accessKey = reader.text("s3.accessKey", default: "")
        let secretKeyFile = reader.text("s3.secretKeyFile", default: "")
        let authorities = reader.text("s3.authorities", default: "")
        let verifiesAlways = try reader.value(
            "s3.verify",
            default: false,
            expected: "auto or always",
            parse: { ["auto": false, "always": true][$0] }
        )
        guard originals != "folder" else {
            self = .folder
            return
        }
        let scheme = "s3://"
        guard originals.hasPrefix(scheme) else {
            throw SettingsError(
                .invalidValue,
                "library.originals is \"\(originals)\": write folder, or s3://bucket or s3://bucket/prefix"
            )
        }
        guard !endpoint.isEmpty else {
            throw SettingsError(
                .invalidValue,
                "s3.endpoint is missing: write the address of library.originals' store, such as https://s3.example"
            )
        }
        let bucket = String(originals.dropFirst(scheme.count))
        let location = ObjectStoreLocation(endpoint: endpoint, bucket: bucket, region: region, addressing: addressing)
        guard let location else {
            throw SettingsError(.invalidValue, Self.advice(endpoint: endpoint, region: region, bucket: bucket))
        }
        guard 1...256 ~= accessKey.utf8.count, accessKey.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F && $0 != 0x2F })
        else {
            throw SettingsError(.invalidValue, "s3.accessKey is missing or invalid: write the name of the access key")
        }
        self = .bucket(
            Bucket(
                location: location,
                accessKey: accessKey,
                secretKeyFile: secretKeyFile,
                authorities: authorities,
                verifiesAlways: verifiesAlways
            )
        )
    }

    /// Which of the three settings of a location cannot be used, each judged beside others that can, and what to write.
    private static func advice(endpoint: String, region: String, bucket: String) -> String {
        func isUsable(endpoint: String = "https://s3.example", region: String = "us-east-1") -> Bool {
            ObjectStoreLocation(endpoint: endpoint, bucket: "photos", region: region, addressing: .path) != nil
        }
        if !isUsable(endpoint: endpoint) {
            return "s3.endpoint cannot be used: write an address without a path such as https://s3.example:9000"
        }
        if !isUsable(region: region) { return "s3.region is \"\(region)\": write a region such as us-east-1" }
        return "library.originals is \"s3://\(bucket)\": write s3://bucket or s3://bucket/prefix"
    }
}
