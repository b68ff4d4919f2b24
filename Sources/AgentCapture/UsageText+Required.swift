package import Authorization

extension UsageText {
    /// The configured text that says why the box needs something.
    ///
    /// - Throws: `configuration`, naming the key, if there is none.
    package static func required(_ text: String?, _ key: String) throws -> String {
        guard let text else {
            throw AgentError(
                .configuration,
                "the setting \(key) is missing: say in one line why this device needs it, in the settings file"
            )
        }
        return text
    }
}
