import Capture
import SystemPackage

/// The controls of an open node.
struct CameraControls {
    let device: VideoDevice
    let descriptor: VideoDescriptor

    /// All of them that have a number, as they are now, in the driver's order.
    var all: [VideoControl] {
        var controls: [VideoControl] = []
        var last: UInt32 = 0
        // A driver must answer with a higher number each time; one that does not would be asked for ever.
        while let found = try? device.calls.control(descriptor, after: last), found.control.id > last,
            controls.count < Int(FormatList.longest)
        {
            last = found.control.id
            if found.isNumeric { controls.append(found) }
        }
        return controls
    }

    /// All of them for people and programs to choose from, with the items of their menus.
    var described: [CaptureControl] {
        all.map { found in
            var control = found.control
            if control.kind == .menu { control.menu = menu(of: control) }
            return control
        }
    }

    /// The items of a menu; values that the driver leaves out are none.
    private func menu(of control: CaptureControl) -> [CaptureControl.MenuItem] {
        guard let first = UInt32(exactly: control.range.lowerBound),
            let last = UInt32(exactly: control.range.upperBound), last - first < FormatList.longest
        else { return [] }
        return (first...last).compactMap { value in
            guard let name = try? device.calls.menuItem(descriptor, ofControl: control.id, value) else { return nil }
            return CaptureControl.MenuItem(value: Int64(value), name: name)
        }
    }

    /// The values of all that have one now.
    var values: [UInt32: Int32] {
        let found = all.compactMap { found in
            (try? device.calls.value(descriptor, ofControl: found.control.id)).map { (found.control.id, $0) }
        }
        return Dictionary(found) { first, _ in first }
    }

    func value(of id: UInt32, _ name: String) throws(CaptureError) -> Int32 {
        try device.calling("read \(name) of") { () throws(Errno) in
            try device.calls.value(descriptor, ofControl: id)
        }
    }

    func set(_ id: UInt32, _ name: String, to value: Int32) throws(CaptureError) {
        try device.calling("set \(name) of", refusal: .unsupported) { () throws(Errno) in
            try device.calls.setValue(descriptor, ofControl: id, to: value)
        }
    }

    /// The values that can be put back: of an automatic's manual partners only what counts now.
    func snapshot() throws(CaptureError) -> ControlSnapshot {
        var values: [UInt32: Int32] = [:]
        for found in all where found.control.isWritable {
            values[found.control.id] = try value(of: found.control.id, found.control.name)
        }
        return ControlSnapshot(values: values)
    }

    func restore(_ snapshot: ControlSnapshot) throws(CaptureError) {
        let automatics = CameraControl.automatics.map(\.id)
        let others = snapshot.values.keys.filter { !automatics.contains($0) }.sorted()
        let present = Dictionary(all.map { ($0.control.id, $0.control) }) { first, _ in first }
        var refusal: CaptureError?
        for id in automatics + others {
            guard let value = snapshot.values[id], let control = present[id] else { continue }
            do throws(CaptureError) {
                if try self.value(of: id, control.name) != value { try set(id, control.name, to: value) }
            } catch {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
    }

    /// Stops an automatic where it is: by the camera's own lock, or by switching it off and setting what it had chosen.
    ///
    /// - Parameter automatic: which.
    /// - Returns: the values that hold it, by the control's number.
    /// - Throws: `unsupported` when the camera has nothing to lock it by, and what the driver refuses.
    func lock(_ automatic: CameraAutomatic) throws(CaptureError) -> [UInt32: Int32] {
        let writable = all.map(\.control).filter(\.isWritable)
        func find(_ control: CameraControl) -> CaptureControl? { writable.first { $0.id == control.id } }
        if let lock = find(.lock), lock.range.upperBound & Int64(automatic.lockBit) != 0 {
            let locks = try value(of: lock.id, lock.name) | automatic.lockBit
            try set(lock.id, lock.name, to: locks)
            return [lock.id: locks]
        }
        let chosen = automatic.manualControls.compactMap { control in
            (try? device.calls.value(descriptor, ofControl: control.id)).map { (control.id, $0) }
        }
        let switches = automatic.switches.compactMap { control, off in find(control).map { ($0, off) } }
        guard !switches.isEmpty else {
            let message = "the camera has no control that locks its \(automatic.rawValue)"
            throw CaptureError(.unsupported, message, deviceID: device.id)
        }
        for (control, off) in switches { try set(control.id, control.name, to: off) }
        // Now that the automatic is off, these can be set; what still cannot is not this camera's to choose.
        let settable = Set(all.map(\.control).filter(\.isWritable).map(\.id))
        var held = Dictionary(switches.map { ($0.id, $1) }) { first, _ in first }
        for (id, value) in chosen where settable.contains(id) {
            try set(id, automatic.rawValue, to: value)
            held[id] = value
        }
        return held
    }
}
