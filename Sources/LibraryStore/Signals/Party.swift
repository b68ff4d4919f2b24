package import LibraryAPI
package import PhotoModel

/// The party whose requests end together when a right is revoked.
package enum Party: Hashable, Sendable {
    /// A device.
    case device(DeviceID)
    /// An operator's certificate, by its key.
    case operatorKey(ContentDigest)
    /// A login on the web page.
    case webSession(WebSessionID)
    /// The caller of a picker session.
    case pickerSession(PickerSessionID)
}
