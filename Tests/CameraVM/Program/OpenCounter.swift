import Foundation

/// Counts how often a device node is opened, by whomever (inotify(7)).
struct OpenCounter: ~Copyable {
    private let descriptor: Int32

    /// Begins to count.
    init(_ node: String) throws {
        descriptor = inotify_init1(Int32(IN_NONBLOCK))
        // 0x20 is IN_OPEN.
        guard descriptor >= 0, unsafe inotify_add_watch(descriptor, node, 0x20) >= 0 else {
            throw MachineError("\(node) cannot be watched: \(errno)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// How often it was opened since the last time this was asked.
    func take() -> Int {
        // A watched file is told without a name: 16 bytes an event. Equal events in a row are told once.
        var bytes = [UInt8](repeating: 0, count: 16 * 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return max(0, count) / 16
    }
}
