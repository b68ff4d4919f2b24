/// What a worker does with a file; a program chooses one and gives it to ``MediaWorkerProgram``.
package protocol MediaDecoder {
    /// Loads and warms up everything that needs files by their names; later there are none.
    init()

    /// Decodes one file.
    ///
    /// - Parameters:
    ///   - request: what is to be made.
    ///   - limits: what bounds it.
    ///   - input: the file, open to read.
    ///   - output: an empty file to be written.
    /// - Returns: what was made.
    /// - Throws: why the file gives nothing.
    mutating func perform(
        _ request: MediaRequest,
        within limits: MediaLimits,
        input: Int32,
        output: Int32
    ) throws(MediaFailure) -> MediaResult
}
