import Capture

/// The profiles that share a camera, and so a session.
package struct CameraPlan: Sendable {
    /// The session they all need.
    let request: CaptureSessionProvider.Request
    /// The profiles, in settings order.
    let profiles: [CaptureProfile]

    /// The camera's name in the status: its identity, or `default`.
    var name: String { request.camera?.rawValue ?? "default" }

    /// Groups profiles by their camera.
    ///
    /// - Throws: `configuration` if two profiles require one camera in incompatible ways.
    package static func plans(for profiles: [CaptureProfile]) throws(AgentError) -> [CameraPlan] {
        var order: [CaptureDevice.ID?] = []
        var groups: [CaptureDevice.ID?: [CaptureProfile]] = [:]
        for profile in profiles where profile.watch == nil {
            if groups[profile.camera] == nil { order.append(profile.camera) }
            groups[profile.camera, default: []].append(profile)
        }
        var plans: [CameraPlan] = []
        for camera in order { plans.append(try CameraPlan(groups[camera] ?? [])) }
        return plans
    }

    private init(_ profiles: [CaptureProfile]) throws(AgentError) {
        self.profiles = profiles
        var merged = profiles[0].request
        for (profile, previous) in zip(profiles.dropFirst(), profiles) {
            var request = profile.request
            // A session for Live Photos can also take stills; then the Live Photo profiles decide what only they need.
            if request.isLivePhoto != merged.isLivePhoto {
                let live = request.isLivePhoto ? request : merged
                request.takeLiveSettings(of: live)
                merged.takeLiveSettings(of: live)
            } else if !request.isLivePhoto {
                request.takeLiveSettings(of: merged)
            }
            guard request == merged else {
                throw AgentError(
                    .configuration,
                    "the profiles \(previous.name) and \(profile.name) need the same camera in different ways: "
                        + "give both the same camera, masks, samples and live settings, or different cameras"
                )
            }
        }
        request = merged
    }
}

extension CaptureProfile {
    /// The session the profile needs.
    package var request: CaptureSessionProvider.Request {
        var request = CaptureSessionProvider.Request()
        request.camera = camera
        request.format = format
        request.format.pixels = pixels
        request.locks = locks
        request.mask = mask
        request.isLivePhoto = isLivePhoto
        request.sound = sound
        request.microphone = microphone
        request.preRoll = preRoll
        request.postRoll = postRoll
        return request
    }
}

extension CaptureSessionProvider.Request {
    fileprivate mutating func takeLiveSettings(of other: CaptureSessionProvider.Request) {
        isLivePhoto = other.isLivePhoto
        sound = other.sound
        microphone = other.microphone
        preRoll = other.preRoll
        postRoll = other.postRoll
    }
}
