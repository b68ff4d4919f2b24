import Capture

/// How capturing stands, for the status command and programs.
package struct CaptureStatus: Hashable, Sendable, Codable {
    /// One camera.
    package struct Camera: Hashable, Sendable, Codable {
        /// What the settings call it: its identity, or `default`.
        let name: String
        /// The identity of the camera that runs; nil when none does.
        let device: String?
        /// The profiles that it works for.
        let profiles: [String]
        /// `starting`, `running`, `waiting` or `stopped`.
        let state: String
        /// Why it waits, in words; nil when it does not.
        let reason: String?
        /// Whether shots may be Live Photos.
        let isLivePhotoEnabled: Bool
        /// Shots that are not finished.
        let inFlightCount: Int
        /// Live Photos among them that still record picture and sound.
        let recordingCount: Int
        /// Frames that were kept since the camera was opened.
        let keptFrames: Int
        /// Frames that were not, by reason.
        let droppedFrames: [String: Int]
        /// Frames that were kept and came late, or left early for want of memory.
        let lateFrames, evictedFrames: Int
        /// Shots since the service began.
        let shots: CaptureTally.Counts
    }

    /// A watched folder.
    package struct Folder: Hashable, Sendable, Codable {
        /// The profile.
        let profile: String
        /// The folder.
        let folder: String
        /// Assets that became entries since the service began.
        let taken: Int
        /// Files that are none: no media, or known already.
        let passedOver: Int
        /// Files that could not be taken in, with the reason.
        let failed: [String: String]
        /// Why the folder cannot be watched; nil when it is.
        let problem: String?
    }

    /// Whether somebody in front of a camera is being recorded now: what the indicator shows.
    package var isRecording: Bool
    /// Every camera that a profile wants.
    package var cameras: [Camera]
    /// Every watched folder.
    package var folders: [Folder]
}

extension CaptureStatus.Camera {
    init(
        plan: CameraPlan,
        device: CaptureDevice?,
        state: CameraRunner.State,
        activity: CaptureActivity,
        frames: FrameCounts,
        counts: CaptureTally.Counts
    ) {
        name = plan.name
        self.device = device?.id.rawValue
        profiles = plan.profiles.map(\.name)
        (self.state, reason) =
            switch state {
            case .starting: ("starting", nil)
            case .running: ("running", nil)
            case .waiting(let error): ("waiting", "\(error)")
            case .stopped: ("stopped", nil)
            }
        isLivePhotoEnabled = plan.request.isLivePhoto
        inFlightCount = activity.inFlightCount
        recordingCount = activity.recordingCount
        keptFrames = frames.kept
        droppedFrames = Dictionary(uniqueKeysWithValues: frames.dropped.map { ($0.key.rawValue, $0.value) })
        (lateFrames, evictedFrames) = (frames.late, frames.evictedEarly)
        shots = counts
    }
}
