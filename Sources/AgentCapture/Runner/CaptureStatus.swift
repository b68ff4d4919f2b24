import Capture

/// The capture status, for the status command and programs.
package struct CaptureStatus: Hashable, Sendable, Codable {
    /// One camera.
    package struct Camera: Hashable, Sendable, Codable {
        /// Its name in the settings: its identity, or `default`.
        package let name: String
        /// The running camera's identity; nil if not running.
        package let device: String?
        /// Its profiles.
        package let profiles: [String]
        /// `starting`, `running`, `waiting` or `stopped`.
        package let state: String
        /// Why it waits, in words; nil if it does not.
        package let reason: String?
        /// Whether shots may be Live Photos.
        package let isLivePhotoEnabled: Bool
        /// Unfinished shots.
        package let inFlightCount: Int
        /// Those of them that are Live Photos still recording.
        package let recordingCount: Int
        /// Frames kept since the camera was opened.
        package let keptFrames: Int
        /// Frames dropped, by reason.
        package let droppedFrames: [String: Int]
        /// Kept frames that arrived late, or were evicted early for lack of memory.
        package let lateFrames, evictedFrames: Int
        /// Shots since the service started.
        package let shots: CaptureTally.Counts
    }

    /// A watched folder.
    package struct Folder: Hashable, Sendable, Codable {
        /// The profile.
        package let profile: String
        /// The folder.
        package let folder: String
        /// Assets imported since the service started.
        package let taken: Int
        /// Skipped files: not media, or already known.
        package let passedOver: Int
        /// Files that could not be imported, or not completely, with the reason; at most 100.
        package let failed: [String: String]
        /// Why the folder cannot be watched; nil if it can.
        package let problem: String?
    }

    /// Whether anybody in front of a camera is currently being recorded, as the indicator shows.
    package var isRecording: Bool
    /// The cameras of all profiles.
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
