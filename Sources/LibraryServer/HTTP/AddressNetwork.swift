import DeviceIdentity

/// What counts as one address: an IPv4 address, also within IPv6 (RFC 4291, 2.5.5.2), or the /64 of an IPv6 address,
/// in which a single machine has as many addresses as it wants.
enum AddressNetwork {
    /// The network's name; text that is not an address is its own.
    static func name(of address: String) -> String {
        guard case .address(let bytes) = HostAddress(address), bytes.count == 16 else { return address }
        let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let network = isMapped ? Array(bytes.suffix(4)) : bytes.prefix(8) + [UInt8](repeating: 0, count: 8)
        return HostAddress.address(network).description
    }
}
