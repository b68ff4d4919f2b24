import Testing

@testable import AgentService

struct MeteredLinksTests {
    private static let head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
    private static let modem = "wwan0\t00000000\t010A000A\t0003\t0\t0\t700\t00000000\t0\t0\t0\n"
    private static let ethernet = "eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
    private static let local = "wwan0\t0000A8C0\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
    private static let down = "wwan0\t00000000\t010A000A\t0002\t0\t0\t1\t00000000\t0\t0\t0\n"
    private static let zero = String(repeating: "0", count: 32)
    private static let modem6 =
        "\(zero) 00 \(zero) 00 fe8000000000000000000000000000 00000400 00000001 00000000 00000003 wwan0\n"
    private static let refusal6 = "\(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200 lo\n"

    @Test(
        "What counts is the interface of the default route that the kernel takes",
        arguments: [
            (head + modem, "", ["ww*"], true), (head + modem, "", ["wwan0"], true), (head + modem, "", ["wwan"], false),
            (head + modem + ethernet, "", ["ww*"], false), (head + modem + ethernet, "", ["eth0", "ww*"], true),
            (head + local + ethernet, "", ["ww*"], false), (head + down + ethernet, "", ["ww*"], false),
            (head, modem6 + refusal6, ["ww*"], true), (head + ethernet, modem6, ["ww*"], false),
            (head, refusal6, ["lo", "ww*"], false), ("", "", ["ww*"], false), (head + modem, "", [], false),
            ("nonsense\nmore", "less", ["ww*"], false),
        ]
    )
    func routes(routes: String, routes6: String, names: [String], isMetered: Bool) {
        #expect(MeteredLinks(names).isInUse(routes: routes, routes6: routes6) == isMetered)
    }

    @Test("This machine's tables can be read")
    func real() {
        #expect(MeteredLinks.table("route").hasPrefix("Iface"))
        #expect(MeteredLinks(["no such interface"]).isInUse() == false)
    }
}
