/// An operator's request that says why it is made; a reason has at most ``APILimits/reasonByteCount`` bytes.
package protocol ReasonedRequest {
    /// Why, for the audit.
    var reason: String? { get }
}
