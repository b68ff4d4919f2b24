import Host

/// The metered network interfaces, by name; a trailing `*` is a wildcard.
///
/// Nothing on a box reliably knows what a link costs, so the names are configured; Linux and systemd name mobile modems
/// `ww…` (`wwan0`, `wwp0s20f0u4`). The interface of the default route decides, IPv4's if there is one.
package struct MeteredLinks: Hashable, Sendable {
    private let names: [String]

    package init(_ names: [String]) {
        self.names = names
    }

    /// Whether the box's default route currently uses one of them; blocks.
    package func isInUse() -> Bool {
        guard !names.isEmpty else { return false }
        return isInUse(routes: Self.table("route"), routes6: Self.table("ipv6_route"))
    }

    /// One of the kernel's tables; empty if it does not exist.
    static func table(_ name: String) -> String { KernelFile.text(of: "/proc/net/\(name)", limit: 1 << 18) ?? "" }

    /// Whether the default route in the kernel's `/proc/net/route` and `/proc/net/ipv6_route`, if any, uses one of
    /// them.
    func isInUse(routes: String, routes6: String) -> Bool {
        guard let interface = Self.defaultInterface(routes) ?? Self.defaultInterface6(routes6) else { return false }
        return names.contains { name in
            name.hasSuffix("*") ? interface.hasPrefix(name.dropLast()) : interface == name
        }
    }

    /// The interface of the default route with the smallest metric (format: `net/ipv4/fib_trie.c`).
    private static func defaultInterface(_ table: String) -> String? {
        let routes = table.split(separator: "\n").dropFirst().compactMap { line -> (name: String, metric: Int)? in
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000",
                let flags = Int(fields[3], radix: 16), flags & 1 == 1, let metric = Int(fields[6])
            else { return nil }
            return (String(fields[0]), metric)
        }
        return routes.min { $0.metric < $1.metric }?.name
    }

    /// The same for IPv6 (`net/ipv6/route.c`); reject routes have the flag 0x200.
    private static func defaultInterface6(_ table: String) -> String? {
        let routes = table.split(separator: "\n").compactMap { line -> (name: String, metric: Int)? in
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count >= 10, fields[0].allSatisfy({ $0 == "0" }), fields[1] == "00", fields[9] != "lo",
                let flags = Int(fields[8], radix: 16), flags & 0x201 == 1, let metric = Int(fields[5], radix: 16)
            else { return nil }
            return (String(fields[9]), metric)
        }
        return routes.min { $0.metric < $1.metric }?.name
    }
}
