import Capture
import SystemPackage

/// The controls of an open node.
struct CameraControls {
    let device: VideoDevice
    let descriptor: VideoDescriptor

    /// All current numeric controls, in the driver's order.
    var all: [VideoControl] {
        var controls: [VideoControl] = []
        var last: UInt32 = 0
        // A driver must return a higher number each time; otherwise this would never end.
        while let found = try? device.calls.control(descriptor, after: last), found.control.id > last,
            controls.count < Int(FormatList.longest)
        {
            last = found.control.id
            if found.isNumeric { controls.append(found) }
        }
        return controls
    }

    /// All controls for people and programs, with their menu items.
    var described: [CaptureControl] {
        all.map { found in
            var control = found.control
            if control.kind == .menu { control.menu = menu(of: control) }
            return control
        }
    }

    /// A menu's items; values that the driver skips are not items.
    private func menu(of control: CaptureControl) -> [CaptureControl.MenuItem] {
        guard let first = UInt32(exactly: control.range.lowerBound),
            let last = UInt32(exactly: control.range.upperBound), last - first < FormatList.longest
        else { return [] }
        return (first...last).compactMap { value in
            guard let name = try? device.calls.menuItem(descriptor, ofControl: control.id, value) else { return nil }
            return CaptureControl.MenuItem(value: Int64(value), name: name)
        }
    }

    /// The current values of all controls that have one.
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

    /// The restorable values: of an automatic's manual counterparts only the effective ones.
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

    /// Freezes an automatic, with the camera's own lock, or by switching it off and setting the values it had chosen;
    /// returns the locked values by control number.
    ///
    /// - Throws: `unsupported` if the camera cannot lock it, and the driver's refusals.
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
        // With the automatic off, these can be set; the rest is not adjustable on this camera.
        let settable = Set(all.map(\.control).filter(\.isWritable).map(\.id))
        var held = Dictionary(switches.map { ($0.id, $1) }) { first, _ in first }
        for (id, value) in chosen where settable.contains(id) {
            try set(id, automatic.rawValue, to: value)
            held[id] = value
        }
        return held
    }
}
