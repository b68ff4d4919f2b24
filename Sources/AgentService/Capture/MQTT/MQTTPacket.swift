/// What a subscriber to an MQTT broker sends and gets (MQTT 3.1.1, OASIS Standard, 29 October 2014).
///
/// A packet is one byte of type (upper half) and flags, the length of the rest in one to four bytes of seven bits each, the
/// lowest first, and the rest. Texts are UTF-8 behind two bytes of length; numbers have their highest byte first.
///
/// Only what a subscriber with quality of service 0 needs is here: a trigger that comes late is worth nothing, so none is
/// asked to be kept or repeated. These are five packets over a connection of SwiftNIO's; libmosquitto would bring every box
/// another library to load, with threads of its own, for them.
enum MQTTPacket: Hashable, Sendable {
    /// The broker's answer to the greeting: 0 for welcome, else why not (section 3.2.2.3).
    case connected(code: UInt8)
    /// The broker's answer to a subscription: the granted quality of service, or 128 for refused (section 3.9.3).
    case subscribed(code: UInt8)
    /// A message; one that was kept for whoever subscribes later is `isRetained` (section 3.3.1.3).
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// The answer to a sign of life.
    case alive
    /// Something that a subscriber has no use for.
    case other(type: UInt8)

    /// Why what came is no MQTT.
    struct Malformed: Error, Hashable {
        let reason: String
    }
}

extension MQTTPacket {
    /// The greeting (section 3.1): a session that ends with the connection, under a name that the broker makes up.
    ///
    /// - Parameters:
    ///   - user: the name to log in with; nil for none.
    ///   - password: its password; nil for none.
    ///   - silence: after so many seconds of silence the broker may hang up.
    /// - Returns: the packet.
    static func connect(user: String?, password: [UInt8]?, silence: UInt16) -> [UInt8] {
        let flags: UInt8 = 2 | (user == nil ? 0 : 0x80) | (user == nil || password == nil ? 0 : 0x40)
        var body = text(Array("MQTT".utf8)) + [4, flags] + number(silence) + text([])
        if let user {
            body += text(Array(user.utf8))
            if let password { body += text(password) }
        }
        return packet(0x10, body)
    }

    /// A subscription (section 3.8) with quality of service 0.
    static func subscribe(to topics: String) -> [UInt8] {
        packet(0x82, number(1) + text(Array(topics.utf8)) + [0])
    }

    /// A sign of life (section 3.12).
    static let ping: [UInt8] = [0xC0, 0]
    /// A farewell (section 3.14).
    static let disconnect: [UInt8] = [0xE0, 0]

    private static func packet(_ head: UInt8, _ body: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var left = body.count
        repeat {
            length.append(UInt8(left & 127) | (left > 127 ? 128 : 0))
            left >>= 7
        } while left > 0
        return [head] + length + body
    }

    private static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    /// A text or password; what is longer than can be written is cut.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = bytes.prefix(Int(UInt16.max))
        return number(UInt16(bytes.count)) + bytes
    }
}

/// Makes packets out of the bytes that a broker sends, however they were cut on their way.
struct MQTTReader: Hashable, Sendable {
    /// Longer packets are read over: a subscription may match somebody's pictures.
    static let longestPacket = 64 << 10

    private var bytes: [UInt8] = []
    /// How many bytes of a packet that is too long are still to come.
    private var skipped = 0

    /// Takes bytes as they came.
    mutating func append(_ more: some Collection<UInt8>) {
        let passed = min(skipped, more.count)
        skipped -= passed
        bytes += more.dropFirst(passed)
    }

    /// The next packet that is there whole.
    ///
    /// - Returns: the packet; nil when more bytes are needed.
    /// - Throws: `Malformed`; then nothing that follows can be read either.
    mutating func next() throws(MQTTPacket.Malformed) -> MQTTPacket? {
        while let (start, length) = try head() {
            let end = start + length
            if length > Self.longestPacket {
                let present = min(end, bytes.count)
                skipped = end - present
                bytes.removeFirst(present)
                continue
            }
            guard bytes.count >= end else { return nil }
            let (first, body) = (bytes[0], bytes[start..<end])
            bytes.removeFirst(end)
            return try MQTTPacket(first, body)
        }
        return nil
    }

    /// Where the rest of the first packet begins, and its length; nil until they are known.
    private func head() throws(MQTTPacket.Malformed) -> (start: Int, length: Int)? {
        var length = 0
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 127) << (7 * index)
            if byte < 128 { return (index + 2, length) }
        }
        guard bytes.count < 5 else { throw MQTTPacket.Malformed(reason: "a length does not end") }
        return nil
    }
}

extension MQTTPacket {
    /// Reads a packet without its head.
    fileprivate init(_ first: UInt8, _ body: ArraySlice<UInt8>) throws(Malformed) {
        switch first >> 4 {
        case 2: self = .connected(code: try Self.last(body, of: 2, "CONNACK"))
        case 9: self = .subscribed(code: try Self.last(body, of: 3, "SUBACK"))
        case 13: self = .alive
        case 3: self = try Self.message(first, body)
        case let type: self = .other(type: type)
        }
    }

    private static func last(_ body: ArraySlice<UInt8>, of count: Int, _ name: String) throws(Malformed) -> UInt8 {
        guard body.count == count, let code = body.last else {
            throw Malformed(reason: "\(name) has \(body.count) bytes")
        }
        return code
    }

    private static func message(_ first: UInt8, _ body: ArraySlice<UInt8>) throws(Malformed) -> MQTTPacket {
        guard body.count >= 2 else { throw Malformed(reason: "a message without a topic") }
        let length = Int(body[body.startIndex]) << 8 | Int(body[body.startIndex + 1])
        // A number for acknowledging lies behind the topic where the quality of service is not 0.
        let number = first & 6 == 0 ? 0 : 2
        guard body.count >= 2 + length + number else { throw Malformed(reason: "a message ends in its topic") }
        guard let topic = String(validating: body.dropFirst(2).prefix(length), as: UTF8.self) else {
            throw Malformed(reason: "a topic that is no UTF-8")
        }
        let payload = Array(body.dropFirst(2 + length + number))
        return .message(topic: topic, payload: payload, isRetained: first & 1 == 1)
    }
}
