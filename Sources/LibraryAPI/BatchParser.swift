import PhotoModel

/// Parses a batch incrementally, however its bytes are split; a state machine without I/O.
///
/// It buffers at most one manifest; resources' bytes are passed on as slices of the input.
package struct BatchParser: Sendable {
    /// The next parsed element.
    package enum Event<Chunk> {
        /// A whole manifest, as JSON.
        case manifest([UInt8])
        /// The start of the next resource's bytes.
        case resourceBegins(byteCount: Int64)
        /// Part of its bytes.
        case resourceBytes(Chunk)
        /// The end of the resource.
        case resourceEnds
        /// The end of the batch.
        case end
    }

    private enum State: Sendable {
        case magic
        case head
        case manifest(byteCount: Int)
        case resource(rest: Int64)
        case ended
    }

    private var state = State.magic
    private var held: [UInt8] = []
    private var manifestCount = 0
    private var hasMetResource = false
    private var byteCount: Int64 = 0

    /// A parser at the beginning of a batch.
    package init() {}

    /// Parses up to the next event or the end of the input.
    ///
    /// - Parameter chunk: the received bytes; parsed ones are removed from its front.
    /// - Returns: the next event; nil if more input is needed.
    /// - Throws: why it is not a batch; the parser is unusable afterwards.
    package mutating func next<Chunk: Collection<UInt8>>(
        _ chunk: inout Chunk
    ) throws(BatchProblem) -> Event<Chunk>? where Chunk.SubSequence == Chunk {
        while true {
            switch state {
            case .magic:
                guard let magic = try collect(BatchFraming.magic.count, &chunk) else { return nil }
                guard magic == BatchFraming.magic else { throw .notABatch }
                state = .head
            case .head:
                if let event: Event<Chunk> = try head(&chunk) { return event }
                if case .head = state { return nil }
            case .manifest(let byteCount):
                guard let manifest = try collect(byteCount, &chunk) else { return nil }
                state = .head
                return .manifest(manifest)
            case .resource(rest: 0):
                state = .head
                return .resourceEnds
            case .resource(let rest):
                guard !chunk.isEmpty else { return nil }
                let part = chunk.prefix(Int(clamping: rest))
                try count(part.count)
                chunk = chunk.dropFirst(part.count)
                state = .resource(rest: rest - Int64(part.count))
                return .resourceBytes(part)
            case .ended:
                guard chunk.isEmpty else { throw .trailingBytes }
                return nil
            }
        }
    }

    /// Signals the end of the input.
    ///
    /// - Throws: `truncated` unless the end frame was parsed.
    package func finish() throws(BatchProblem) {
        guard case .ended = state else { throw .truncated }
    }

    /// Parses a frame's header; the state stays `.head` while it is incomplete.
    private mutating func head<Chunk: Collection<UInt8>>(
        _ chunk: inout Chunk
    ) throws(BatchProblem) -> Event<Chunk>? where Chunk.SubSequence == Chunk {
        guard let head = try collect(BatchFraming.headByteCount, &chunk) else { return nil }
        let length = UInt64(bigEndianBytes: head.dropFirst())
        guard let count = Int64(exactly: length), count <= APILimits.batchByteCount - byteCount else { throw .tooLarge }
        switch BatchFraming.FrameKind(rawValue: head[0]) {
        case .manifest where !hasMetResource:
            manifestCount += 1
            guard manifestCount <= APILimits.batchAssetCount, count <= Int64(APILimits.manifestByteCount) else {
                throw .tooLarge
            }
            state = .manifest(byteCount: Int(count))
            return nil
        case .resource where manifestCount > 0:
            // Whoever receives it may hold a whole resource in memory.
            guard count <= APILimits.batchResourceByteCount else { throw .tooLarge }
            hasMetResource = true
            state = .resource(rest: count)
            return .resourceBegins(byteCount: count)
        case .end where count == 0 && hasMetResource:
            state = .ended
            return .end
        case .manifest, .resource, .end, nil: throw .unexpectedFrame(head[0])
        }
    }

    /// Collects bytes across chunks; nil until there are enough.
    private mutating func collect<Chunk: Collection<UInt8>>(
        _ wanted: Int,
        _ chunk: inout Chunk
    ) throws(BatchProblem) -> [UInt8]? where Chunk.SubSequence == Chunk {
        let part = chunk.prefix(wanted - held.count)
        try count(part.count)
        held += part
        chunk = chunk.dropFirst(part.count)
        guard held.count == wanted else { return nil }
        let complete = held
        held = []
        return complete
    }

    private mutating func count(_ more: Int) throws(BatchProblem) {
        byteCount += Int64(more)
        guard byteCount <= APILimits.batchByteCount else { throw .tooLarge }
    }
}
