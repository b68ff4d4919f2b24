/// The opaque state of the library as one viewer sees it; a device hands it back to get later changes.
package struct ChangeToken: OpaqueText {
    /// The text.
    package let text: String

    package init(text: String) { self.text = text }
}
