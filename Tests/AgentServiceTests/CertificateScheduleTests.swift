import AgentService
import PhotoModel
import Testing

struct CertificateScheduleTests {
    private static let day: Int64 = 86_400_000_000

    private func schedule(_ jitter: UInt128) -> CertificateSchedule {
        CertificateSchedule(
            notBefore: WallTime(microsecondsSince1970: 0),
            notAfter: WallTime(microsecondsSince1970: 90 * Self.day),
            jitter: DeviceID(rawValue: jitter)
        )
    }

    @Test("A certificate is renewed from a third of its life on, within the sixth behind it")
    func planned() {
        for jitter in [0, 1, 499, 999, 1000, UInt128.max] {
            let renewal = schedule(jitter).renewal.microsecondsSince1970
            #expect(30 * Self.day..<45 * Self.day ~= renewal, "jitter \(jitter)")
        }
        #expect(schedule(0).renewal < schedule(999).renewal, "a fleet does not come at once")
    }

    @Test("It is due at its moment and long after its end, and not a microsecond before")
    func due() {
        let plan = schedule(0)
        #expect(!plan.isDue(at: WallTime(microsecondsSince1970: 30 * Self.day - 1)))
        #expect(plan.isDue(at: WallTime(microsecondsSince1970: 30 * Self.day)))
        #expect(plan.isDue(at: WallTime(microsecondsSince1970: 1000 * Self.day)))
    }

    @Test("A certificate that ends before it begins is due at once, and nothing overflows")
    func nonsense() {
        let plan = CertificateSchedule(
            notBefore: WallTime(microsecondsSince1970: 5),
            notAfter: WallTime(microsecondsSince1970: 0),
            jitter: DeviceID(rawValue: 7)
        )
        #expect(plan.isDue(at: WallTime(microsecondsSince1970: 5)))
    }
}
