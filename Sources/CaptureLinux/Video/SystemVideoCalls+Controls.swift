import CVideo4Linux
import Capture
package import SystemPackage

/// The calls on controls.
extension SystemVideoCalls {
    /// The corresponding C function is `ioctl` with `VIDIOC_QUERY_EXT_CTRL`.
    package func control(_ descriptor: VideoDescriptor, after id: UInt32) throws(Errno) -> VideoControl {
        var value = v4l2_query_ext_ctrl()
        value.id = id | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        try Self.call(descriptor, tt_VIDIOC_QUERY_EXT_CTRL, &value)
        let unusable = V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_WRITE_ONLY
        let fixed = V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_INACTIVE | V4L2_CTRL_FLAG_GRABBED
        let kind = Self.kind(v4l2_ctrl_type(rawValue: value.type))
        return VideoControl(
            control: CaptureControl(
                id: value.id,
                name: Self.text(value.name),
                kind: kind ?? .integer,
                range: min(value.minimum, value.maximum)...max(value.minimum, value.maximum),
                step: value.step,
                defaultValue: value.default_value,
                isWritable: value.flags & UInt32(fixed) == 0
            ),
            isNumeric: kind != nil && value.flags & UInt32(unusable) == 0,
            isMenuOfNumbers: value.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
        )
    }

    /// The kind of a control; nil for headings, buttons, texts and others without a number.
    private static func kind(_ type: v4l2_ctrl_type) -> CaptureControl.Kind? {
        switch type {
        case V4L2_CTRL_TYPE_INTEGER: .integer
        case V4L2_CTRL_TYPE_BOOLEAN: .boolean
        case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU: .menu
        case V4L2_CTRL_TYPE_BITMASK: .bitmask
        default: nil
        }
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_QUERYMENU`.
    package func menuItem(
        _ descriptor: VideoDescriptor,
        ofControl id: UInt32,
        _ value: UInt32
    ) throws(Errno) -> String {
        var item = v4l2_querymenu()
        item.id = id
        item.index = value
        try Self.call(descriptor, tt_VIDIOC_QUERYMENU, &item)
        // A menu of numbers has them where others have a name, in the same union.
        let isNumber = (try? control(descriptor, after: id - 1))?.isMenuOfNumbers ?? false
        return isNumber ? "\(item.value)" : Self.text(item.name)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_G_CTRL`.
    package func value(_ descriptor: VideoDescriptor, ofControl id: UInt32) throws(Errno) -> Int32 {
        var value = v4l2_control(id: id, value: 0)
        try Self.call(descriptor, tt_VIDIOC_G_CTRL, &value)
        return value.value
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_S_CTRL`.
    package func setValue(_ descriptor: VideoDescriptor, ofControl id: UInt32, to value: Int32) throws(Errno) {
        var value = v4l2_control(id: id, value: value)
        try Self.call(descriptor, tt_VIDIOC_S_CTRL, &value)
    }
}
