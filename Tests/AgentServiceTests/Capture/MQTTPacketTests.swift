import Settings
import TestSupport
import Testing

@testable import AgentCapture

struct MQTTPacketTests {
    @Test("Greetings and subscriptions are written as the standard has them")
    func writing() {
        let anonymous: [UInt8] = [0x10, 12, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 0]
        #expect(MQTTPacket.connect(user: nil, password: [1], silence: 60) == anonymous)
        let named: [UInt8] = [0x10, 18, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 0xC2, 1, 0, 0, 0, 0, 1, 0x61, 0, 1, 0x62]
        #expect(MQTTPacket.connect(user: "a", password: [0x62], silence: 256) == named)
        #expect(MQTTPacket.subscribe(to: "a/+") == [0x82, 8, 0, 1, 0, 3, 0x61, 0x2F, 0x2B, 0])
    }

    @Test("A length of more than 127 bytes is written in groups of seven bits, the lowest first")
    func lengths() {
        let topic = String(repeating: "t", count: 195)
        #expect(MQTTPacket.subscribe(to: topic).prefix(3) == [0x82, 0xC8, 0x01])
    }

    private static func message(_ topic: String, _ payload: [UInt8], flags: UInt8 = 0, number: [UInt8] = []) -> [UInt8]
    {
        let body = [UInt8(topic.utf8.count >> 8), UInt8(topic.utf8.count & 255)] + Array(topic.utf8) + number + payload
        var (length, left): ([UInt8], Int) = ([], body.count)
        repeat {
            length.append(UInt8(left % 128) + (left >= 128 ? 128 : 0))
            left /= 128
        } while left > 0
        return [0x30 | flags] + length + body
    }

    @Test("Packets come out whole, wherever the network cut them, and those that are too long are read over")
    func reading() {
        checkProperty("reading", cases: 200, maximumSize: 40) { generator, size in
            let long = MQTTReader.longestPacket
            var (bytes, expected): ([UInt8], [MQTTPacket]) = ([], [])
            for _ in 0..<(1 + generator.below(size + 1)) {
                switch generator.below(6) {
                case 0:
                    bytes += [0x20, 2, 0, 5]
                    expected.append(.connected(code: 5))
                case 1:
                    bytes += [0x90, 3, 0, 1, 128]
                    expected.append(.subscribed(code: 128))
                case 2:
                    bytes += [0xD0, 0]
                    expected.append(.alive)
                case 3: bytes += Self.message("t", Array(repeating: 7, count: long + generator.below(3)))
                default:
                    let payload = generator.bytes(generator.below(300))
                    let hasNumber = generator.oneIn(2)
                    let isRetained = generator.oneIn(2)
                    let flags: UInt8 = (hasNumber ? 2 : 0) | (isRetained ? 1 : 0)
                    bytes += Self.message("hall/bell", payload, flags: flags, number: hasNumber ? [0, 9] : [])
                    expected.append(.message(topic: "hall/bell", payload: payload, isRetained: isRetained))
                }
            }
            var reader = MQTTReader()
            var found: [MQTTPacket] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + generator.below(generator.oneIn(2) ? 5 : 100_000))
                rest = rest.dropFirst(piece.count)
                reader.append(piece)
                do {
                    while let packet = try reader.next() { found.append(packet) }
                } catch {
                    return "\(error)"
                }
            }
            return found == expected ? nil : "\(found.count) packets of \(expected.count)"
        }
    }

    @Test(
        "What is no MQTT is refused and never traps",
        arguments: [
            [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [0x20, 1, 0], [0x20, 0], [0x90, 2, 0, 1], [0x30, 1, 0], [0x30, 0],
            [0x30, 3, 0, 9, 0x61], [0x32, 3, 0, 1, 0x61], [0x30, 4, 0, 2, 0xFF, 0xFE],
        ] as [[UInt8]]
    )
    func malformed(bytes: [UInt8]) {
        var reader = MQTTReader()
        reader.append(bytes)
        #expect(throws: MQTTPacket.Malformed.self) { try reader.next() }
    }

    @Test("Whatever bytes come, reading ends, and holds no more than one packet")
    func hostile() {
        checkProperty("hostile", cases: 500, maximumSize: 200) { generator, size in
            var reader = MQTTReader()
            do {
                for _ in 0..<size {
                    reader.append(generator.bytes(1 + generator.below(64)))
                    while try reader.next() != nil {}
                }
            } catch {
                return nil
            }
            return nil
        }
    }
}

struct MQTTPlanTests {
    @Test(
        "A broker is a name or an address, with a port or the usual one",
        arguments: [
            ("localhost", "localhost", 1883, false), ("broker.local:1884", "broker.local", 1884, false),
            ("mqtt://10.0.0.2/", "10.0.0.2", 1883, false), ("mqtts://house.example", "house.example", 8883, true),
            ("mqtts://[::1]:9000", "::1", 9000, true), ("[fe80::1]", "fe80::1", 1883, false),
        ]
    )
    func brokers(text: String, host: String, port: Int, isEncrypted: Bool) throws {
        let broker = try #require(MQTTPlan.Broker(text))
        #expect(broker.host == host && broker.port == port && broker.isEncrypted == isEncrypted)
    }

    @Test(
        "What is no broker is none",
        arguments: [
            "", ":1883", "a:0", "a:65536", "a:b", "a b", "http://a", "user@a", "[::1", "[::1]x", "a:1:2", "mqtt://",
        ]
    )
    func noBrokers(text: String) {
        #expect(MQTTPlan.Broker(text) == nil)
    }

    @Test(
        "A profile's wrong broker, topic or password that all could read is refused by name",
        arguments: [
            ("broker: 'a b'\n    topic: t", "trigger.mqtt.broker"), ("broker: a", "trigger.mqtt.topic"),
            ("broker: a\n    topic: a/#/b", "trigger.mqtt.topic"), ("broker: a\n    topic: a+", "trigger.mqtt.topic"),
            ("broker: a\n    topic: t\n    user: u\n    passwordFile: /p", "trigger.mqtt.passwordFile"),
            ("broker: a\n    topik: t", "trigger.mqtt.topic"),
        ]
    )
    func refused(yaml: String, key: String) {
        let error = #expect(throws: SettingsError.self) {
            try CaptureProfile(name: "bell", yaml: "trigger:\n  mqtt:\n    \(yaml)")
        }
        #expect(error?.description.contains(key) == true, "\(error?.description ?? "")")
    }

    @Test(
        "Topics with wildcards are taken, and a password where nobody else can read it",
        arguments: ["#", "+/bell", "a/#"]
    )
    func accepted(topic: String) throws {
        for broker in ["localhost", "'mqtts://house.example'"] {
            let yaml =
                "trigger:\n  mqtt:\n    broker: \(broker)\n    topic: '\(topic)'\n    user: u\n    passwordFile: /p"
            let plan = try #require(try CaptureProfile(name: "bell", yaml: yaml).triggers.mqtt)
            #expect(plan.topic == topic && plan.user == "u" && plan.passwordFile == "/p" && plan.payload.isEmpty)
        }
    }
}
