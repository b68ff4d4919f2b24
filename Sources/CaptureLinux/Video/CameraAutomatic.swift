import Capture

/// The kernel's numbers of the controls used here (`linux/v4l2-controls.h`).
enum CameraControl: UInt32, CaseIterable {
    case autoWhiteBalance = 0x0098_090c
    case exposureTime = 0x009a_0902
    case gain = 0x0098_0913
    case autoGain = 0x0098_0912
    case whiteBalanceTemperature = 0x0098_091a
    case autoExposure = 0x009a_0901
    case exposureDynamicFrameRate = 0x009a_0903
    case focusDistance = 0x009a_090a
    case autoFocus = 0x009a_090c
    case lock = 0x009a_091b

    var id: UInt32 { rawValue }

    /// Controls that determine whether others can be set.
    static let automatics: [CameraControl] = [.lock, .autoExposure, .autoGain, .autoWhiteBalance, .autoFocus]
}

extension CameraAutomatic {
    /// Its bit in `V4L2_CID_3A_LOCK`.
    var lockBit: Int32 {
        switch self {
        case .exposure: 1
        case .whiteBalance: 2
        case .focus: 4
        }
    }

    /// The control that switches it, with the value for off: for exposure, `V4L2_EXPOSURE_MANUAL`.
    var switches: [(control: CameraControl, off: Int32)] {
        switch self {
        case .exposure: [(.autoExposure, 1), (.autoGain, 0)]
        case .whiteBalance: [(.autoWhiteBalance, 0)]
        case .focus: [(.autoFocus, 0)]
        }
    }

    /// The controls that can be set once it is off.
    var manualControls: [CameraControl] {
        switch self {
        case .exposure: [.exposureTime, .gain]
        case .whiteBalance: [.whiteBalanceTemperature]
        case .focus: [.focusDistance]
        }
    }
}
