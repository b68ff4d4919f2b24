extension ContentDigest {
    /// Reads the digest from a name that ``fileName(stem:fileExtension:)`` made; nil if there is none.
    package init?(inFileName name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let digest = Self(String(parts[1])) else { return nil }
        self = digest
    }

    /// A name with the digest of the file's bytes: `<stem>.<digest>.<extension>`.
    package func fileName(stem: String, fileExtension: String) -> String {
        "\(stem).\(description).\(fileExtension)"
    }
}
