import Foundation

/// Why something in the virtual machine could not be set up.
struct MachineError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A driver of the kernel with its parameters.
struct Driver: Sendable {
    let modules: [String]
    let parameters: [String]

    /// The kernel's virtual camera (Documentation/admin-guide/media/vivid.rst): webcams that only capture.
    ///
    /// - Parameters:
    ///   - nodeTypes: one entry a camera; 0x1 is video capture, 0x20000 metadata capture.
    ///   - firstNode: the number of the first camera's node; nil for any.
    ///   - isMultiplanar: whether it speaks the interface for several planes alone.
    ///   - input: what it is: 0x0 a webcam, 0x3 a converter of HDMI.
    ///   - hasSound: whether there is the loopback sound card as well.
    /// - Returns: the driver, to be loaded.
    static func vivid(
        nodeTypes: [String] = ["0x1"],
        firstNode: Int? = nil,
        isMultiplanar: Bool = false,
        input: String = "0x0",
        hasSound: Bool = false
    ) -> Driver {
        let count = nodeTypes.count
        func list(_ value: String) -> String { Array(repeating: value, count: count).joined(separator: ",") }
        var parameters = [
            "n_devs=\(count)", "node_types=\(nodeTypes.joined(separator: ","))", "num_inputs=\(list("1"))",
            "input_types=\(list(input))", "multiplanar=\(list(isMultiplanar ? "2" : "1"))",
        ]
        if let firstNode { parameters.append("vid_cap_nr=\(firstNode)") }
        return Driver(modules: (hasSound ? loopback.modules : []) + ["vivid"], parameters: parameters)
    }

    /// A sound card that records on its device 0 what is played on its device 1.
    static let loopback = Driver(modules: ["snd-aloop"], parameters: [])

    /// A USB host and a USB device joined back to back, with the kernel's webcam driver on the host's side.
    static let usbWebcam = Driver(modules: ["dummy_hcd", "gadgetfs", "uvcvideo"], parameters: [])

    /// What gives a program that answers as a TPM the nodes of one.
    static let softwareTPM = Driver(modules: ["tpm_vtpm_proxy"], parameters: [])
}

/// A program that runs until it is ended.
struct BackgroundProgram {
    fileprivate let process: Process

    /// Whether it has not ended yet.
    var isRunning: Bool { process.isRunning }

    /// Ends it and waits until it has ended; does nothing the second time.
    ///
    /// Programs inherit that the threads of this one block every signal that can be blocked.
    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// The virtual machine that this program runs in, as its root user.
enum Machine {
    private static let environment = ProcessInfo.processInfo.environment
    static let drivers = environment["CAMERA_VM_DRIVERS"] ?? ""
    static let busybox = environment["CAMERA_VM_BUSYBOX"] ?? ""
    static let webcamProgram = environment["CAMERA_VM_WEBCAM"] ?? ""
    static let agent = environment["CAMERA_VM_AGENT"] ?? ""
    /// The folder with Debian's libcamera, as its packages lay it out.
    static let libcamera = environment["CAMERA_VM_LIBCAMERA"] ?? ""
    /// Whether the agent was built to be fast.
    static let isOptimized = environment["CAMERA_VM_OPTIMIZED"] == "yes"
    /// A library that tells libcamera what firmware would say of the webcam's controller.
    static let firmware = environment["CAMERA_VM_FIRMWARE"] ?? ""
    /// A folder in memory.
    static let folder = "/run"

    /// Loads a driver; its devices are there when this returns.
    static func load(_ driver: Driver) throws {
        for module in driver.modules {
            let parameters = module == driver.modules.last ? driver.parameters : []
            try run(busybox, ["insmod", "\(drivers)/\(module).ko"] + parameters)
        }
    }

    /// Removes every driver that was loaded, which plugs their devices out; refused while one of them is open.
    static func unloadAll() throws {
        // The webcam mounts it, and does not live to unmount it.
        unsafe umount2("/dev/gadget", 0)
        let loaded = (try? String(contentsOfFile: "/proc/modules", encoding: .utf8)) ?? ""
        let names = Set(loaded.split(separator: "\n").compactMap { $0.split(separator: " ").first })
        for module in ["vivid", "snd_aloop", "uvcvideo", "gadgetfs", "dummy_hcd", "tpm_vtpm_proxy"]
        where names.contains(Substring(module)) {
            try run(busybox, ["rmmod", module])
        }
    }

    /// Notes the devices that the kernel lists in folders as udev does, which does not run here: libcamera uses none that
    /// it has not seen.
    static func noteDevices(in folders: [String]) throws {
        try FileManager.default.createDirectory(atPath: "/run/udev/data", withIntermediateDirectories: true)
        for folder in folders {
            for device in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let number = String(decoding: try read("\(folder)/\(device)/dev"), as: UTF8.self)
                // When it was seen, in microseconds since the machine's start.
                try write("I:1\n".utf8, to: "/run/udev/data/c\(number.prefix { $0 != "\n" })")
            }
        }
    }

    /// Sets a control of a node by the name that `v4l2-ctl --list-ctrls` prints.
    static func setControl(_ name: String, to value: Int = 1, of node: String = "/dev/video0") throws {
        try run("v4l2-ctl", ["--device", node, "--set-ctrl", "\(name)=\(value)"])
    }

    /// Writes a file, which may be one of the kernel's.
    static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Reads a file.
    static func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// Waits for something that the kernel does soon, looking every 20 ms, at most 40 s: the machine is emulated, and may
    /// have to share its processors.
    static func wait(for what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<2000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw MachineError("waited in vain: \(what)")
    }

    /// Runs a program to its end and returns what it printed.
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> String {
        let output = Pipe()
        let process = try launch(program, arguments, output: output)
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw MachineError("\(program) \(arguments.joined(separator: " ")): \(process.terminationStatus) \(text)")
        }
        return text
    }

    /// Starts a program in the background.
    static func start(_ program: String, _ arguments: [String]) throws -> BackgroundProgram {
        BackgroundProgram(process: try launch(program, arguments))
    }

    private static func launch(_ program: String, _ arguments: [String], output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program.hasPrefix("/") ? program : "/usr/bin/\(program)")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = output ?? FileHandle.nullDevice
        try process.run()
        return process
    }
}
