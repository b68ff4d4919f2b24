import Authorization
import Crypto
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel
import TestSupport
import Testing

@testable import LibraryServer

/// What a device holds of its place in the feed.
struct ChangeTokenSealTests {
    private static let seal = ChangeTokenSeal(key: SymmetricKey(size: .bits256))

    private static func device(_ number: UInt128) -> ChangeTokenSeal.Bearer { .device(DeviceID(rawValue: number)) }

    @Test("Tokens lead back to their position, and nothing else does")
    func roundTrip() throws {
        checkProperty("token") { generator, _ in
            let position = ChangePosition(
                epoch: LibraryEpoch(rawValue: UInt128(generator.next()) << 64 | UInt128(generator.next())),
                viewVersion: generator.next(),
                number: ChangeNumber(rawValue: Int64(generator.next() >> 1)),
                floor: ChangeNumber(rawValue: Int64(generator.next() >> 1)),
                departures: ChangeNumber(rawValue: Int64(generator.next() >> 1))
            )
            let bearer = generator.oneIn(2) ? .operators : Self.device(UInt128(generator.next()))
            guard let token = try? Self.seal.token(of: position, for: bearer) else { return "not sealed" }
            return Self.seal.position(token, for: bearer) == position ? nil : token.text
        }
        let position = ChangePosition(epoch: .init(rawValue: 1), viewVersion: 3, number: .init(rawValue: 5))
        let token = try Self.seal.token(of: position, for: .operators).text
        for index in token.indices {
            let other: Character = token[index] == "A" ? "z" : "A"
            let broken = token.replacingCharacters(in: index...index, with: String(other))
            #expect(Self.seal.position(ChangeToken(text: broken), for: .operators) == nil, "\(broken)")
        }
        for broken in ["", "A", "1.2.3", String(token.dropLast()), token + "AAAA", token + token] {
            #expect(Self.seal.position(ChangeToken(text: broken), for: .operators) == nil)
        }
        let other = ChangeTokenSeal(key: SymmetricKey(size: .bits256))
        #expect(other.position(ChangeToken(text: token), for: .operators) == nil)
    }

    @Test("A token of an earlier version, which ends with the floor, leads back to its position")
    func earlierVersion() throws {
        let key = SymmetricKey(size: .bits256)
        let numbers: [UInt64] = [0, 1, 3, 5, 9]
        let bytes = Data(numbers.flatMap { $0.bigEndianBytes })
        let sealed = try AES.GCM.seal(bytes, using: key, authenticating: Data("operators".utf8)).combined
        let text = try #require(sealed).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        let position = ChangePosition(
            epoch: .init(rawValue: 1),
            viewVersion: 3,
            number: .init(rawValue: 5),
            floor: .init(rawValue: 9)
        )
        #expect(ChangeTokenSeal(key: key).position(ChangeToken(text: text), for: .operators) == position)
    }

    @Test("T21: a device's token is its own, and tells nothing of what goes on outside its view")
    func opaque() throws {
        func token(_ number: Int64) throws -> ChangeToken {
            let position = ChangePosition(epoch: .init(rawValue: 1), viewVersion: 3, number: .init(rawValue: number))
            return try Self.seal.token(of: position, for: Self.device(1))
        }
        #expect(Self.seal.position(try token(7), for: Self.device(1))?.number.rawValue == 7)
        #expect(Self.seal.position(try token(7), for: Self.device(2)) == nil)
        #expect(Self.seal.position(try token(7), for: .operators) == nil)
        // Nobody can tell whether two of them are of the same place, nor which is later, nor how much lies between.
        #expect(try token(7) != token(7))
        #expect(Set(try [0, 1, 7, 1 << 40, .max].map { try token($0).text.count }) == [104])
    }
}
