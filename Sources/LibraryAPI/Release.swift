/// The Tintype release.
package enum Release {
    /// The semantic version of all programs; the Debian packages carry the same.
    package static let version = "0.1.0"
}
