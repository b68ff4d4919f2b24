import Capture
import CaptureLinux

extension Scenario {
    /// What can be set on a camera.
    static let controls = [
        Scenario("controls") { report in
            guard let camera = try await Cameras.only() as? VideoCamera,
                let controls = try? await camera.controls(try await Cameras.consent(for: camera)),
                let brightness = controls.first(where: { $0.name == "Brightness" })
            else { return await report.check("there is a brightness", false) }
            await report.check("its range is the driver's", brightness.range == 0...255, brightness.range)
            try await camera.set(brightness, to: 100)
            let told = try Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--get-ctrl", "brightness"])
            await report.check("what is set is what another program reads", told == "brightness: 100\n", told)
            try Machine.setControl("brightness", to: 50)
            let value = try await camera.controlValues(try await Cameras.consent(for: camera))[brightness.id]
            await report.check("and the other way round", value == 50, value)
            do throws(CaptureError) {
                try await camera.set(brightness, to: 256)
                await report.check("a value outside the range is refused", false)
            } catch {
                await report.check("a value outside the range is refused", error.code == .unsupported, error)
            }
            let pattern = controls.first { $0.name == "Test Pattern" }
            await report.check(
                "a menu has its items by name",
                pattern?.kind == .menu && pattern?.menu.first?.name == "75% Colorbar" && pattern?.menu.count ?? 0 > 15,
                pattern?.menu.map(\.name)
            )
        },

        Scenario("controls.lock") { report in
            guard let camera = try await Cameras.only() as? VideoCamera else { return }
            func autogain() throws -> String {
                try Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--get-ctrl", "gain_automatic"])
            }
            await report.check(
                "exposure is automatic at first",
                try autogain() == "gain_automatic: 1\n",
                try autogain()
            )
            let before = try await camera.lock([.exposure])
            await report.check("locked, it is not", try autogain() == "gain_automatic: 0\n", try autogain())
            try await camera.restore(before)
            await report.check("restored, it is again", try autogain() == "gain_automatic: 1\n", try autogain())
            await report.check("and everything is as it was", try await camera.controlSnapshot() == before)
            do throws(CaptureError) {
                try await camera.lock([.focus])
                await report.check("what the camera has not cannot be locked", false)
            } catch {
                await report.check("what the camera has not cannot be locked", error.code == .unsupported, error)
            }
        },
    ]
}
