import Dispatch
import ObjectStorage
import Persistence
import PhotoModel
import Synchronization

/// An object, read in blocks.
final class ObjectReader: ContentReader {
    /// The bytes of one request.
    private static let blockByteCount: Int64 = 1 << 20
    private static let heldBlockCount = 4

    let byteCount: Int64
    private let client: ObjectClient
    private let key: String
    private let blocking: BlockingPool
    /// The latest blocks, the oldest first.
    private let blocks = Mutex<[(number: Int64, bytes: [UInt8])]>([])

    init(_ client: ObjectClient, _ key: String, byteCount: Int64, blocking: BlockingPool) {
        self.client = client
        self.key = key
        self.byteCount = byteCount
        self.blocking = blocking
    }

    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        guard offset >= 0, offset < byteCount, count > 0 else { return [] }
        let end = offset + min(byteCount - offset, Int64(count))
        var bytes: [UInt8] = []
        var place = offset
        while place < end {
            let number = place / Self.blockByteCount
            let block = try await block(number)
            let start = Int(place - number * Self.blockByteCount)
            let part = block[start..<min(block.count, start + Int(end - place))]
            bytes += part
            place += Int64(part.count)
        }
        return bytes
    }

    private func block(_ number: Int64) async throws -> [UInt8] {
        if let held = blocks.withLock({ $0.first { $0.number == number }?.bytes }) { return held }
        let start = number * Self.blockByteCount
        let bytes: [UInt8]
        do {
            bytes = try await client.get(key, start..<min(byteCount, start + Self.blockByteCount))
        } catch let error as ObjectStorageError where error.code == .notFound {
            throw PersistenceError(.notFound, "read", key, "it is not in the store")
        }
        blocks.withLock { blocks in
            if blocks.count == Self.heldBlockCount { blocks.removeFirst() }
            blocks.append((number, bytes))
        }
        return bytes
    }

    func parsing<Value: Sendable>(
        _ body: @escaping @Sendable (_ read: @escaping OpenResource.Reading) throws -> Value
    ) async throws -> Value {
        try await blocking.run { [self] in
            try body { count, offset in try Self.waiting { try await self.read(count, at: offset) } }
        }
    }

    /// SHA-256 of the whole object.
    func wholeDigest() async throws -> ContentDigest {
        var hasher = ContentHasher.Running()
        var offset: Int64 = 0
        while offset < byteCount {
            let bytes = try await read(Int(Self.blockByteCount), at: offset)
            hasher.update(bytes[...])
            offset += Int64(bytes.count)
        }
        return hasher.digest
    }

    /// Waits for an asynchronous result, on a thread that may block.
    static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let outcome = await Result.awaiting(body)
            result.withLock { $0 = outcome }
            isDone.signal()
        }
        isDone.wait()
        guard let outcome = result.withLock({ $0 }) else { preconditionFailure("the task has ended") }
        return try outcome.get()
    }
}
