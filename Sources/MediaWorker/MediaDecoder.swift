/// The decoder of a worker; a program passes its own to ``MediaWorkerProgram``.
package protocol MediaDecoder {
    /// Loads and warms up everything that opens files by name; later that is impossible.
    init()

    /// Decodes one file, opened for reading, to an empty file for the output, or throws why it could not be decoded.
    mutating func perform(
        _ request: MediaRequest,
        within limits: MediaLimits,
        input: Int32,
        output: Int32
    ) throws(MediaFailure) -> MediaResult
}
