import Foundation
import PhotoModel

extension Scenario {
    /// Debian's libcamera drives the webcam made of software, and the agent takes what its program `cam` writes.
    static let libcamera = [
        Scenario("libcamera.cam", .usbWebcam) { report in
            let webcam = try Webcam()
            let program = try await webcam.plugIn()
            defer { program.end() }
            // Other scenarios run without udev.
            defer { try? FileManager.default.removeItem(atPath: "/run/udev") }
            try Machine.noteDevices(in: ["/sys/bus/media/devices", "/sys/class/video4linux"])
            let libraries = "LD_LIBRARY_PATH=$(echo \(Machine.libcamera)/usr/lib/*-linux-gnu)"
            let cam = "\(libraries) LD_PRELOAD=\(Machine.firmware) \(Machine.libcamera)/usr/bin/cam"
            let list = try Machine.run(Machine.busybox, ["sh", "-c", "\(cam) --list 2>&1"])
            await report.check("libcamera finds the webcam", list.contains("\n1: "), list)

            // cam tells of each frame on its standard output, and so writes the frames to another descriptor.
            let format = "width=\(Webcam.size.width),height=\(Webcam.size.height),pixelformat=MJPEG"
            let frames = "exec env \(cam) --camera 1 --capture --stream \(format) --file=/proc/self/fd/3 3>&1 1>&2"
            try FileManager.default.createDirectory(atPath: cameras, withIntermediateDirectories: true)
            try Machine.write(
                """
                command: [\(Machine.busybox), sh, -c, "\(frames)"]
                size: \(Webcam.size.width)x\(Webcam.size.height)
                framesPerSecond: 30
                model: cam

                """.utf8,
                to: "\(cameras)/cam.yaml"
            )
            let table = try runAgent(["cameras"] + settings)
            await report.check("the agent shows it as a camera", table.contains("command:cam"), table)
            let text = try runAgent(["capture", "--output", folder, "--json"] + settings)
            let shots = try JSONDecoder().decode(ShotList.self, from: Data(text.utf8)).captures
            guard let file = shots.first?.files.first else {
                return await report.check("there is a still", false, text)
            }
            let still = try Machine.read(file)
            await report.check(
                "its still is a picture of the webcam, byte for byte",
                try webcam.pictures.contains { try Webcam.imageData(of: $0) == Webcam.imageData(of: still) }
            )
            let live = try runAgent(["capture", "--live-photo", "--output", folder, "--json"] + settings)
            let pair = try JSONDecoder().decode(ShotList.self, from: Data(live.utf8)).captures.first
            await report.check("its Live Photo has a movie", pair?.files.count == 2, live)
            try await Machine.wait(for: "cam to end with the agent") {
                (try? Machine.run(Machine.busybox, ["pidof", "cam"])) == nil
            }
        }
    ]

    private static let cameras = "\(Machine.folder)/cameras"

    private static let settings = [
        "capture.cameraFolder=\(cameras)", "capture.commandCameras=cam", "capture.device=command:cam",
    ].flatMap { ["--set", $0] }
}
