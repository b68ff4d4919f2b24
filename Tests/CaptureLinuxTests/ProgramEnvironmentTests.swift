import Testing

@testable import CaptureLinux

struct ProgramEnvironmentTests {
    @Test("T128: programs for cameras and hooks get paths and languages, not the agent's credentials and settings")
    func secrets() {
        let passed = [
            "PATH=/usr/bin:/bin", "HOME=/var/lib/tintype", "LANG=", "LC_TIME=de_CH.UTF-8", "TZ=a=b",
            "LIBCAMERA_LOG_LEVELS=*:ERROR", "GST_DEBUG=2",
        ]
        let withheld = [
            "CREDENTIALS_DIRECTORY=/run/credentials/tintype-agent.service", "NOTIFY_SOCKET=/run/systemd/notify",
            "TINTYPE_SERVER_URL=https://library", "IMMICH_API_KEY=secret", "PATHS=/", "LC=C", "path=/", "=PATH=/",
        ]
        #expect(ProgramEnvironment.reduced(withheld + passed + withheld) == passed)
    }
}
