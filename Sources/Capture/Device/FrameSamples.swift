/// A frame's samples as the camera delivered them, for stills that keep all of them.
package struct FrameSamples: Sendable {
    /// Their layout.
    package let info: FrameInfo
    /// The samples.
    package let buffer: MediaBuffer
}
