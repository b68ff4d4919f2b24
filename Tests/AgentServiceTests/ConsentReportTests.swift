import AgentStore
import Capture
import Foundation
import LibraryAPI
import Logging
import Persistence
import PhotoModel
import Testing

@testable import AgentCapture
@testable import AgentService

struct ConsentReportTests {
    private static let camera = ConsentSubject(capability: .camera, deviceID: .init(rawValue: "usb-1"))

    private final class Bench {
        let root = Path("/tmp/tintype-consents-\(UUID().uuidString)")
        let store: AgentStore
        let consents: ConsentFile
        let report: ConsentReport

        init(policy: ConsentFile.Policy = .ask) throws {
            store = try AgentStore(root: root, now: WallTime(millisecondsSince1970: 0))
            consents = ConsentFile(in: root, policy: policy)
            report = ConsentReport(
                store: store,
                pool: BlockingPool(width: 1),
                consents: consents,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        }

        deinit { try? FileManager.default.removeItem(atPath: root.text) }

        func contact() throws -> ContactRequest {
            try ContactExchange.request(store, build: "test", grantVersion: nil, drain: nil)
        }
    }

    private static func withdrawal(_ number: UInt64, _ device: String = "usb-1") -> ConsentWithdrawal {
        ConsentWithdrawal(number: number, capability: "camera", device: device)
    }

    @Test("001.4: a withdrawal denies the camera, is said to be followed, and does not undo a later yes at the box")
    func followed() async throws {
        let bench = try Bench()
        try await bench.consents.setStatus(.authorized, for: Self.camera)
        #expect(try bench.contact().consentWithdrawal == nil)
        await bench.report.follow([Self.withdrawal(7)])
        #expect(try await bench.consents.status(for: Self.camera) == .denied)
        #expect(try bench.contact().consentWithdrawal == 7)
        // The answer to the contact that said so was lost: the library tells it again.
        try await bench.consents.setStatus(.authorized, for: Self.camera)
        await bench.report.follow([Self.withdrawal(7)])
        #expect(try await bench.consents.status(for: Self.camera) == .authorized)
        await bench.report.follow([Self.withdrawal(7), Self.withdrawal(8)])
        #expect(try await bench.consents.status(for: Self.camera) == .denied)
        #expect(try bench.contact().consentWithdrawal == 8)
    }

    @Test("T106: withdrawals for ever new devices do not make the decisions unreadable; the box's own are followed")
    func flood() async throws {
        let bench = try Bench(policy: .authorized)
        let present = CaptureDevice(id: Self.camera.deviceID, capability: .camera, model: "Gate")
        #expect(try await bench.report.note([present]))
        await bench.report.follow([Self.withdrawal(1, String(repeating: "x", count: 2 << 20))])
        #expect(try await bench.consents.decisions().isEmpty)
        for round: UInt64 in 1...10 {
            await bench.report.follow((0..<40).map { Self.withdrawal(round * 100 + $0, "\(round)-\($0)") })
        }
        #expect(try await bench.consents.decisions().count == 4 * APILimits.consentCount)
        #expect(try bench.contact().consentWithdrawal == 1031, "the rest of a list is followed at the next contact")
        await bench.report.follow([Self.withdrawal(2000)])
        #expect(try await bench.consents.status(for: Self.camera) == .denied)
    }

    @Test("A withdrawal that cannot be written down is not said to be followed")
    func damaged() async throws {
        let bench = try Bench()
        let file = bench.root.appending(ConsentFile.fileName)
        try PosixFileSystem().writeAtomically(file, Array("not JSON".utf8))
        await bench.report.follow([Self.withdrawal(7)])
        #expect(try bench.contact().consentWithdrawal == nil)
    }

    @Test("001.4: a contact tells what holds for the devices that are there, and what was decided of others")
    func told() async throws {
        let bench = try Bench(policy: .authorized)
        #expect(try await bench.report.note(nil) == false)
        #expect(try bench.contact().consents == nil)
        let gone = ConsentSubject(capability: .microphone, deviceID: .init(rawValue: "card-1"))
        try await bench.consents.setStatus(.denied, for: gone)
        let present = CaptureDevice(id: Self.camera.deviceID, capability: .camera, model: "Gate")
        #expect(try await bench.report.note([present]))
        #expect(
            try bench.contact().consents == [
                DeviceConsent(capability: "camera", device: "usb-1", status: "authorized"),
                DeviceConsent(capability: "microphone", device: "card-1", status: "denied"),
            ]
        )
        #expect(try await bench.report.note([present]) == false, "nothing has changed")
        await bench.report.follow([Self.withdrawal(1)])
        // As each contact does, without looking at the devices.
        #expect(try await bench.report.note(nil))
        #expect(try bench.contact().consents?.map(\.status) == ["denied", "denied"])
        #expect(try await bench.report.note([present]) == false, "nothing has changed")
    }
}
