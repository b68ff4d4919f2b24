/// The decoder of a worker; a program passes its own to ``MediaWorkerProgram``.
package protocol MediaDecoder {
    /// Loads and warms up everything that opens files by name; later that is impossible.
    init()

    /// Decodes one file.
    ///
    /// - Parameters:
    ///   - request: what to produce.
    ///   - limits: the limits.
    ///   - input: the file, opened for reading.
    ///   - output: an empty file for the output.
    /// - Returns: the result.
    /// - Throws: why the file could not be decoded.
    mutating func perform(
        _ request: MediaRequest,
        within limits: MediaLimits,
        input: Int32,
        output: Int32
    ) throws(MediaFailure) -> MediaResult
}
