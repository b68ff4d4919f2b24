import Glibc
package import PhotoModel

/// A worker's output, after all possible checks.
package struct MediaOutput: Sendable {
    /// A picture as a complete JPEG or WebP file, or a movie as a QuickTime file.
    package struct Picture: Sendable {
        /// Its width and height.
        package let size: PixelSize
        /// The file.
        package let bytes: [UInt8]
    }

    /// The facts about the file.
    package let facts: MediaFacts
    /// The pictures, in the requested order.
    package let pictures: [Picture]

    /// Reads the output of a worker, which is not trusted.
    ///
    /// - Throws: `protocolBroken` for output no honest worker produces.
    init(
        _ result: MediaResult,
        of request: MediaRequest,
        in output: borrowing OwnedDescriptor,
        within limits: MediaLimits
    ) throws(MediaWorkerError) {
        let facts = result.facts
        guard Self.isPlausible(facts.size), facts.codec.utf8.count <= 32, facts.codec == facts.codec.printable,
            facts.durationMilliseconds.map({ 0...(1 << 40) ~= $0 }) ?? true
        else { throw MediaWorkerError(.protocolBroken, "the worker tells impossible facts") }
        let count = request.task == .thumbnails ? request.thumbnails.count : 1
        guard result.pictures.count == count else {
            throw MediaWorkerError(.protocolBroken, "the worker made \(result.pictures.count) pictures of \(count)")
        }
        self.facts = facts
        var pictures: [Picture] = []
        for (index, picture) in result.pictures.enumerated() {
            let thumbnail = request.task == .thumbnails ? request.thumbnails[index] : nil
            let side = thumbnail?.side ?? 65_535
            guard Self.isPlausible(picture.size), max(picture.size.width, picture.size.height) <= side,
                picture.offset >= 0, 4...limits.outputByteCount ~= picture.byteCount,
                picture.offset <= limits.outputByteCount
            else { throw MediaWorkerError(.protocolBroken, "the worker tells an impossible picture") }
            let bytes = Self.read(picture.byteCount, at: picture.offset, from: output.number)
            let isComplete =
                request.task == .h264
                ? bytes.dropFirst(4).starts(with: "ftyp".utf8) : (thumbnail?.format ?? .jpeg).isComplete(bytes)
            guard bytes.count == picture.byteCount, isComplete else {
                throw MediaWorkerError(.protocolBroken, "the worker's file is not what was asked for")
            }
            pictures.append(Picture(size: picture.size, bytes: bytes))
        }
        self.pictures = pictures
    }

    private static func isPlausible(_ size: PixelSize) -> Bool {
        1...1_000_000 ~= size.width && 1...1_000_000 ~= size.height
    }

    /// A copy, so that the worker cannot change what was checked.
    private static func read(_ count: Int, at offset: Int, from descriptor: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...]
                )
                let read = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + initialized))
                guard read > 0 else { return }
                initialized += read
            }
        }
    }
}
