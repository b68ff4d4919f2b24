/// Blackens parts of a camera's frames, so that this module needs no codec.
package protocol FrameMasker: AnyObject, Sendable {
    /// Copies a frame with its masked parts black; all other pixels and the layout are unchanged.
    ///
    /// A JPEG loses the camera's metadata, which may hold a picture of its own.
    ///
    /// - Throws: `unsupported` or `noFrame` if it cannot be masked; such a frame must not be used.
    func masked(_ bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8]
}
