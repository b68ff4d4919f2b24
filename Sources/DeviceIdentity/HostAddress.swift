import Glibc
import PhotoModel

/// The address by which devices reach a server, a DNS name or an IP address, as in certificates.
package enum HostAddress: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// A name such as `photos.example.net`, in lower case.
    case name(String)
    /// The 4 or 16 bytes of an address, in network order.
    case address([UInt8])

    /// Parses a name (letters, digits, dashes and dots, at most 253 characters) or an address in its usual text form.
    package init?(_ description: String) {
        if let bytes = Self.addressBytes(description) {
            self = .address(bytes)
        } else if Self.isName(description) {
            self = .name(description.lowercased())
        } else {
            return nil
        }
    }

    /// The name, or the address in its usual text form.
    package var description: String {
        switch self {
        case .name(let name): return name
        case .address(let bytes):
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let family = bytes.count == 4 ? AF_INET : AF_INET6
            guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private static func addressBytes(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        let isAllowed = { (byte: UInt8) in byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.allSatisfy { 1...63 ~= $0.count && $0.allSatisfy(isAllowed) }
    }
}
