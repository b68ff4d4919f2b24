import FoundationEssentials

/// The protocol between the server and a worker: messages over a pair of Unix sockets of type SOCK_SEQPACKET.
///
/// A message is one packet of JSON, at most `maximumByteCount`; the kernel keeps its borders, so no length is written
/// and none has to be believed.
///
/// 1. Server: `start` with the limits. Worker: confines itself, then `ready` with what holds it.
/// 2. Server: `perform` with two descriptors: the file, open to read, and an empty one for the output. Worker: `done` or
///    `failed`. One request at a time.
/// 3. The server closes its end; the worker ends.
///
/// Whatever else happens (silence until the time is over, a signal, an end, a message of another shape) is a dead worker:
/// it is killed, and the file it held is counted as the cause. Nothing that a worker says is believed without a check.
enum WorkerMessage {
    /// The longest message.
    static let maximumByteCount = 16 << 10

    /// What the server says.
    enum Order: Hashable, Sendable, Codable {
        case start(MediaLimits)
        case perform(MediaRequest)
    }

    /// What a worker says.
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
