import FoundationEssentials

/// The protocol between the server and a worker: messages over a pair of Unix sockets of type SOCK_SEQPACKET.
///
/// A message is one packet of JSON, at most `maximumByteCount`; the kernel preserves its boundaries, so no length is
/// sent or trusted.
///
/// 1. Server: `start` with the limits. Worker: confines itself, then `ready` with its confinement.
/// 2. Server: `perform` with two descriptors: the file, opened for reading, and an empty one for the output. Worker:
///    `done` or
///    `failed`. One request at a time.
/// 3. The server closes its end; the worker ends.
///
/// Anything else (silence until the timeout, a signal, end of stream, a malformed message) means a dead worker: it is
/// killed, and its file counts as the cause. Everything a worker sends is checked.
enum WorkerMessage {
    /// The longest message.
    static let maximumByteCount = 16 << 10

    /// A message from the server.
    enum Order: Hashable, Sendable, Codable {
        case start(MediaLimits)
        case perform(MediaRequest)
    }

    /// A message from a worker.
    enum Reply: Hashable, Sendable, Codable {
        case ready(Confinement)
        case done(MediaResult)
        case failed(MediaFailure)
    }

    static func encode(_ message: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(message)) }

    static func decode<Message: Decodable>(_ bytes: [UInt8], as _: Message.Type = Message.self) throws -> Message {
        try JSONDecoder().decode(Message.self, from: Data(bytes))
    }
}
