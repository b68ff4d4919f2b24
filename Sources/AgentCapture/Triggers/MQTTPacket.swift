/// The packets of an MQTT subscriber (MQTT 3.1.1, OASIS Standard, 29 October 2014).
///
/// A packet is one byte of type (upper half) and flags, the length of the rest in one to four bytes of seven bits each,
/// lowest first, and the rest. Texts are UTF-8 prefixed with two bytes of length; numbers are big-endian.
///
/// QoS 0 subscriptions only: a late trigger is worthless, so nothing is retained or retried. That takes five packets
/// over a SwiftNIO connection; libmosquitto would add another library, with its own threads, to every box.
enum MQTTPacket: Hashable, Sendable {
    /// The broker's response to CONNECT: 0 for accepted, else the reason (section 3.2.2.3).
    case connected(code: UInt8)
    /// The broker's response to a subscription: the granted QoS, or 128 for refused (section 3.9.3).
    case subscribed(code: UInt8)
    /// A message; a retained one is `isRetained` (section 3.3.1.3).
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// The response to a ping.
    case alive
    /// A packet that a subscriber does not need.
    case other(type: UInt8)

    /// Why received bytes are not MQTT.
    struct Malformed: Error, Hashable {
        let reason: String
    }
}

extension MQTTPacket {
    /// CONNECT (section 3.1): a session that ends with the connection, with a client identifier chosen by the broker,
    /// which may disconnect after some seconds of silence.
    static func connect(user: String?, password: [UInt8]?, silence: UInt16) -> [UInt8] {
        let flags: UInt8 = 2 | (user == nil ? 0 : 0x80) | (user == nil || password == nil ? 0 : 0x40)
        var body = text(Array("MQTT".utf8)) + [4, flags] + number(silence) + text([])
        if let user {
            body += text(Array(user.utf8))
            if let password { body += text(password) }
        }
        return packet(0x10, body)
    }

    /// SUBSCRIBE (section 3.8) with QoS 0.
    static func subscribe(to topics: String) -> [UInt8] {
        packet(0x82, number(1) + text(Array(topics.utf8)) + [0])
    }

    /// PINGREQ (section 3.12).
    static let ping: [UInt8] = [0xC0, 0]

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

    /// A text or password; truncated if too long to encode.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = bytes.prefix(Int(UInt16.max))
        return number(UInt16(bytes.count)) + bytes
    }
}

/// Parses a broker's packets incrementally, however they were split.
struct MQTTReader: Hashable, Sendable {
    /// Longer packets are skipped: a subscription may match somebody's pictures.
    static let longestPacket = 64 << 10

    private var bytes: [UInt8] = []
    /// How many bytes of an overlong packet are still to come.
    private var skipped = 0

    /// Adds received bytes.
    mutating func append(_ more: some Collection<UInt8>) {
        let passed = min(skipped, more.count)
        skipped -= passed
        bytes += more.dropFirst(passed)
    }

    /// The next complete packet; nil if more bytes are needed.
    ///
    /// - Throws: `Malformed`; nothing after that can be parsed either.
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

    /// The first packet's body offset and length; nil until known.
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
    /// Parses a packet's body.
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
        // Unless the QoS is 0, a packet identifier follows the topic.
        let number = first & 6 == 0 ? 0 : 2
        guard body.count >= 2 + length + number else { throw Malformed(reason: "a message ends within its topic") }
        guard let topic = String(validating: body.dropFirst(2).prefix(length), as: UTF8.self) else {
            throw Malformed(reason: "a topic that is not UTF-8")
        }
        let payload = Array(body.dropFirst(2 + length + number))
        return .message(topic: topic, payload: payload, isRetained: first & 1 == 1)
    }
}
