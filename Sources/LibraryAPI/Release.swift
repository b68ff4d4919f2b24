/// Which Tintype this is.
package enum Release {
    /// The version of all its programs, as semantic versioning has it; the Debian packages carry the same.
    package static let version = "0.1.0"
}
