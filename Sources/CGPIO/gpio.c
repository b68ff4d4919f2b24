#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

int tt_gpio_request(const char *chip, uint32_t offset, uint64_t flags) {
    int device = open(chip, O_RDWR | O_CLOEXEC);
    if (device == -1) return -errno;
    struct gpio_v2_line_request request;
    memset(&request, 0, sizeof request);
    request.offsets[0] = offset;
    request.num_lines = 1;
    request.config.flags = flags;
    strncpy(request.consumer, "tintype", sizeof request.consumer - 1);
    int status = ioctl(device, GPIO_V2_GET_LINE_IOCTL, &request);
    int number = errno;
    close(device);
    return status == -1 ? -number : request.fd;
}

int tt_gpio_set(int line, int active) {
    struct gpio_v2_line_values values = {.bits = active != 0, .mask = 1};
    return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) == -1 ? -errno : 0;
}

int tt_gpio_make_wake(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC);
    return descriptor == -1 ? -errno : descriptor;
}

void tt_gpio_wake(int wake) {
    eventfd_write(wake, 1);
}

int tt_gpio_wait(int line, int wake, uint64_t *nanoseconds) {
    struct pollfd descriptors[2] = {{.fd = line, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    int count;
    do {
        count = poll(descriptors, 2, -1);
    } while (count == -1 && errno == EINTR);
    if (count == -1) return -errno;
    if (descriptors[1].revents != 0) return 0;
    struct gpio_v2_line_event event;
    ssize_t length = read(line, &event, sizeof event);
    if (length == -1) return -errno;
    if (length != sizeof event) return -ENODEV;
    *nanoseconds = event.timestamp_ns;
    return event.id == GPIO_V2_LINE_EVENT_RISING_EDGE ? 1 : 2;
}
