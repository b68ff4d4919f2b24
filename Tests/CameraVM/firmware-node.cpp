// Preloaded into libcamera, which names a USB camera after the firmware's node of its controller: the controller made of
// software has none, and gets one here.
#include <string>

namespace libcamera::sysfs {

std::string firmwareNodePath(const std::string &device);

std::string firmwareNodePath(const std::string &device) {
    const std::string controller = "/dummy_hcd.0";
    bool isController = device.size() > controller.size()
        && device.compare(device.size() - controller.size(), controller.size(), controller) == 0;
    return isController ? "\\_SB_.DUMY" : "";
}

}  // namespace libcamera::sysfs
