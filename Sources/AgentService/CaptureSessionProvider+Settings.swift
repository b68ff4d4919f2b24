package import AgentCapture
package import Capture
import CaptureLinux
import MediaEncoding
package import Persistence

extension CaptureSessionProvider {
    /// Capture sessions with this machine's devices.
    ///
    /// - Throws: `codecFailed` if there is no memory for the codecs.
    package init(
        settings: AgentSettings,
        consents: ConsentFile,
        prompter: any ConsentPrompter,
        pool: BlockingPool
    ) throws {
        let clock = SystemCaptureClock()
        let compressor = try TurboFrameCompressor()
        let discovery = VideoCameraDiscovery(clock: clock)
        self.init(
            devices: MachineDevices(
                libcamera: settings.capture.libcamera,
                commands: try settings.capture.commandCameras.map {
                    try CameraFile(named: $0, of: settings.capture).camera(clock: clock)
                },
                network: settings.capture.networkCameras,
                clock: clock,
                compressor: compressor,
                pool: pool
            ),
            consents: Consents(store: consents, prompter: prompter),
            usage: settings.captureUsage,
            clock: clock,
            recorder: FileCaptureRecorder(software: Agent.build) {
                // Looking for an encoder opens every camera's device node, so one camera without consent forbids it.
                guard (try? await pool.uncancelled({ discovery.hasEncoder })) == true else { return false }
                let cameras = (try? await pool.uncancelled { discovery.cameras().map(\.device.id) }) ?? []
                for camera in cameras {
                    let subject = ConsentSubject(capability: .camera, deviceID: camera)
                    guard (try? await consents.status(for: subject)) == .authorized else { return false }
                }
                return true
            },
            compressor: compressor
        )
    }
}
