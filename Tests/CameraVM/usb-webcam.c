// A USB webcam made of software: what a webcam answers to the kernel's own uvcvideo driver, through gadgetfs.
//
//   usb-webcam WIDTH HEIGHT FRAMES-A-SECOND PICTURE.jpg...
//
// It offers Motion JPEG in one size and shows the pictures in turn. Ending it pulls the plug. The kernel modules
// dummy_hcd (a USB host and a USB device joined back to back), gadgetfs and uvcvideo must be loaded.
//
// Sections are those of "Universal Serial Bus Specification" 2.0 (USB), "USB Device Class Definition for Video
// Devices" 1.1 (UVC) and its "Motion-JPEG Payload" 1.1 (MJPEG). Descriptors are little-endian (USB 8.1), and so is
// this machine. The video goes over a bulk endpoint, since dummy_hcd carries no isochronous transfers.
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <linux/usb/ch9.h>
#include <linux/usb/gadgetfs.h>
#include <linux/usb/video.h>

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "descriptors are written as they lie in memory");

enum {
    CONTROL_INTERFACE = 0,
    STREAMING_INTERFACE = 1,
    CAMERA_TERMINAL = 1,
    OUTPUT_TERMINAL = 2,
    STREAMING_ENDPOINT = USB_DIR_IN | 1,
    CLOCK_FREQUENCY = 48000000,
    FULL_SPEED_PACKET = 64,     // USB 5.8.3
    HIGH_SPEED_PACKET = 512,
    LARGEST_PAYLOAD = 32 * HIGH_SPEED_PACKET,
    PAYLOAD_HEADER = 2,         // UVC 2.4.3.3 without its optional times
    LARGEST_REQUEST = 64,
};

static const char gadget_folder[] = "/dev/gadget";

struct picture { uint8_t *bytes; size_t length; };
static struct { uint16_t width, height; uint32_t interval; size_t largest, count; struct picture *pictures; } video;

// Counts the streams that the host has begun; the streaming thread begins anew when it changes.
static atomic_uint stream_number;
static pthread_t streaming_thread;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// MARK: Descriptors

// struct usb_endpoint_descriptor has two more bytes, for audio.
struct endpoint_descriptor {
    uint8_t bLength, bDescriptorType, bEndpointAddress, bmAttributes;
    uint16_t wMaxPacketSize;
    uint8_t bInterval;
} __attribute__((packed));

DECLARE_UVC_HEADER_DESCRIPTOR(1);
DECLARE_UVC_INPUT_HEADER_DESCRIPTOR(1, 1);
DECLARE_UVC_FRAME_MJPEG(1);

// The whole configuration in the order of UVC 3.1: a camera and where its pictures go, then how they go there.
struct configuration {
    struct usb_config_descriptor head;
    struct usb_interface_assoc_descriptor function;
    struct usb_interface_descriptor control;
    struct UVC_HEADER_DESCRIPTOR(1) control_header;
    struct uvc_camera_terminal_descriptor camera;
    struct uvc_output_terminal_descriptor output;
    struct usb_interface_descriptor streaming;
    struct UVC_INPUT_HEADER_DESCRIPTOR(1, 1) streaming_header;
    struct uvc_format_mjpeg format;
    struct UVC_FRAME_MJPEG(1) frame;
    struct uvc_color_matching_descriptor color;
    struct endpoint_descriptor endpoint;
} __attribute__((packed));

static struct endpoint_descriptor endpoint(uint16_t packet) {
    return (struct endpoint_descriptor){
        .bLength = sizeof(struct endpoint_descriptor), .bDescriptorType = USB_DT_ENDPOINT,
        .bEndpointAddress = STREAMING_ENDPOINT, .bmAttributes = USB_ENDPOINT_XFER_BULK, .wMaxPacketSize = packet,
    };
}

static struct usb_interface_descriptor interface(uint8_t number, uint8_t endpoints, uint8_t subclass) {
    return (struct usb_interface_descriptor){
        .bLength = USB_DT_INTERFACE_SIZE, .bDescriptorType = USB_DT_INTERFACE, .bInterfaceNumber = number,
        .bNumEndpoints = endpoints, .bInterfaceClass = USB_CLASS_VIDEO, .bInterfaceSubClass = subclass,
    };
}

static struct configuration configuration(uint16_t packet) {
    const uint32_t bit_rate = (uint32_t)(video.largest * 8 * (10000000 / video.interval));
    struct configuration value = {
        .head = {   // USB 9.6.3; powered by the bus, 500 mA
            .bLength = USB_DT_CONFIG_SIZE, .bDescriptorType = USB_DT_CONFIG, .wTotalLength = sizeof value,
            .bNumInterfaces = 2, .bConfigurationValue = 1, .bmAttributes = USB_CONFIG_ATT_ONE, .bMaxPower = 250,
        },
        .function = {   // UVC 3.6
            .bLength = sizeof value.function, .bDescriptorType = USB_DT_INTERFACE_ASSOCIATION,
            .bFirstInterface = CONTROL_INTERFACE, .bInterfaceCount = 2,
            .bFunctionClass = USB_CLASS_VIDEO, .bFunctionSubClass = 3 /* SC_VIDEO_INTERFACE_COLLECTION */,
        },
        .control = interface(CONTROL_INTERFACE, 0, UVC_SC_VIDEOCONTROL),
        .control_header = {   // UVC 3.7.2
            .bLength = UVC_DT_HEADER_SIZE(1), .bDescriptorType = USB_DT_CS_INTERFACE,
            .bDescriptorSubType = UVC_VC_HEADER, .bcdUVC = 0x0110,
            .wTotalLength = sizeof value.control_header + sizeof value.camera + sizeof value.output,
            .dwClockFrequency = CLOCK_FREQUENCY, .bInCollection = 1, .baInterfaceNr = { STREAMING_INTERFACE },
        },
        .camera = {   // UVC 3.7.2.3; it can set nothing
            .bLength = UVC_DT_CAMERA_TERMINAL_SIZE(3), .bDescriptorType = USB_DT_CS_INTERFACE,
            .bDescriptorSubType = UVC_VC_INPUT_TERMINAL, .bTerminalID = CAMERA_TERMINAL,
            .wTerminalType = UVC_ITT_CAMERA, .bControlSize = 3,
        },
        .output = {   // UVC 3.7.2.2
            .bLength = UVC_DT_OUTPUT_TERMINAL_SIZE, .bDescriptorType = USB_DT_CS_INTERFACE,
            .bDescriptorSubType = UVC_VC_OUTPUT_TERMINAL, .bTerminalID = OUTPUT_TERMINAL,
            .wTerminalType = UVC_TT_STREAMING, .bSourceID = CAMERA_TERMINAL,
        },
        .streaming = interface(STREAMING_INTERFACE, 1, UVC_SC_VIDEOSTREAMING),
        .streaming_header = {   // UVC 3.9.2.1
            .bLength = UVC_DT_INPUT_HEADER_SIZE(1, 1), .bDescriptorType = USB_DT_CS_INTERFACE,
            .bDescriptorSubType = UVC_VS_INPUT_HEADER, .bNumFormats = 1,
            .wTotalLength = sizeof value.streaming_header + sizeof value.format + sizeof value.frame
                + sizeof value.color,
            .bEndpointAddress = STREAMING_ENDPOINT, .bTerminalLink = OUTPUT_TERMINAL, .bControlSize = 1,
        },
        .format = {   // MJPEG 3.1.1
            .bLength = UVC_DT_FORMAT_MJPEG_SIZE, .bDescriptorType = USB_DT_CS_INTERFACE,
            .bDescriptorSubType = UVC_VS_FORMAT_MJPEG, .bFormatIndex = 1, .bNumFrameDescriptors = 1,
            .bDefaultFrameIndex = 1,
        },
        .frame = {   // MJPEG 3.1.2; intervals are in units of 100 ns
            .bLength = UVC_DT_FRAME_MJPEG_SIZE(1), .bDescriptorType = USB_DT_CS_INTERFACE,
            .bDescriptorSubType = UVC_VS_FRAME_MJPEG, .bFrameIndex = 1,
            .wWidth = video.width, .wHeight = video.height, .dwMinBitRate = bit_rate, .dwMaxBitRate = bit_rate,
            .dwMaxVideoFrameBufferSize = (uint32_t)video.largest, .dwDefaultFrameInterval = video.interval,
            .bFrameIntervalType = 1, .dwFrameInterval = { video.interval },
        },
        .color = {   // UVC 3.9.2.6; BT.709 primaries and transfer, BT.601 matrix, as JFIF has it
            .bLength = UVC_DT_COLOR_MATCHING_SIZE, .bDescriptorType = USB_DT_CS_INTERFACE,
            .bDescriptorSubType = UVC_VS_COLORFORMAT,
            .bColorPrimaries = 1, .bTransferCharacteristics = 1, .bMatrixCoefficients = 4,
        },
        .endpoint = endpoint(packet),
    };
    return value;
}

// What the endpoint file and the device file take first: a tag, then descriptors for both speeds
// (drivers/usb/gadget/legacy/inode.c, "DEVICE INITIALIZATION" and ep_config).
static int open_device(void) {
    if (mkdir(gadget_folder, 0755) && errno != EEXIST) fail(gadget_folder);
    if (mount("gadgetfs", gadget_folder, "gadgetfs", 0, NULL) && errno != EBUSY) fail("mount gadgetfs");
    int device = open("/dev/gadget/dummy_udc", O_RDWR);
    if (device < 0) fail("/dev/gadget/dummy_udc");
    const struct {
        uint32_t tag;
        struct configuration full_speed, high_speed;
        struct usb_device_descriptor device;
    } __attribute__((packed)) setup = {
        .full_speed = configuration(FULL_SPEED_PACKET),
        .high_speed = configuration(HIGH_SPEED_PACKET),
        .device = {   // USB 9.6.1; its class says that interfaces form functions (UVC 3.2). Linux's own vendor number
            .bLength = USB_DT_DEVICE_SIZE, .bDescriptorType = USB_DT_DEVICE, .bcdUSB = 0x0200,
            .bDeviceClass = USB_CLASS_MISC, .bDeviceSubClass = 2, .bDeviceProtocol = 1, .bMaxPacketSize0 = 64,
            .idVendor = 0x1d6b, .idProduct = 0x0102, .bcdDevice = 0x0100,
            .iManufacturer = 1, .iProduct = 2, .iSerialNumber = 3, .bNumConfigurations = 1,
        },
    };
    if (write(device, &setup, sizeof setup) != sizeof setup) fail("the descriptors are refused");
    return device;
}

// MARK: Streaming

// Sends one payload; false when the host has begun another stream meanwhile, or the device is gone.
static bool send_payload(int file, const uint8_t *bytes, size_t length, uint8_t header) {
    static uint8_t payload[LARGEST_PAYLOAD];
    payload[0] = PAYLOAD_HEADER;
    payload[1] = header | UVC_STREAM_EOH;
    memcpy(payload + PAYLOAD_HEADER, bytes, length);
    return write(file, payload, PAYLOAD_HEADER + length) >= 0;
}

// Sends one picture as payloads (UVC 2.4.3.4); all have the same frame bit, and the last one says so.
static void send_picture(int file, const struct picture *picture, uint8_t frame_bit, unsigned stream) {
    size_t offset = 0;
    while (offset < picture->length && atomic_load(&stream_number) == stream) {
        size_t length = picture->length - offset;
        if (length > LARGEST_PAYLOAD - PAYLOAD_HEADER) length = LARGEST_PAYLOAD - PAYLOAD_HEADER;
        // A payload that is not the largest ends with a short packet, by which the host knows its end.
        else if ((length + PAYLOAD_HEADER) % HIGH_SPEED_PACKET == 0) length -= 1;
        const bool is_last = offset + length == picture->length;
        if (!send_payload(file, picture->bytes + offset, length, frame_bit | (is_last ? UVC_STREAM_EOF : 0))) return;
        offset += length;
    }
}

static void *stream(void *argument) {
    const int file = (int)(intptr_t)argument;
    uint8_t frame_bit = 0;
    for (unsigned current = 0;;) {
        // Until the first stream, and never again: the one before ends when there is another.
        while (atomic_load(&stream_number) == current) usleep(1000);
        current = atomic_load(&stream_number);
        struct timespec due;
        clock_gettime(CLOCK_MONOTONIC, &due);
        for (size_t number = 0; atomic_load(&stream_number) == current; number++) {
            send_picture(file, &video.pictures[number % video.count], frame_bit ^= UVC_STREAM_FID, current);
            due.tv_nsec += video.interval * 100L;
            due.tv_sec += due.tv_nsec / 1000000000;
            due.tv_nsec %= 1000000000;
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        }
    }
    return NULL;
}

static void interrupt(int signal) { (void)signal; }

static void start_streaming_thread(void) {
    static bool is_started;
    if (is_started) return;
    is_started = true;
    // A write that waits for the host of an ended stream is interrupted by this signal, which our parent may block.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = interrupt }, NULL);
    const int file = open("/dev/gadget/ep1in-bulk", O_RDWR);
    if (file < 0) fail("the endpoint");
    const struct { uint32_t tag; struct endpoint_descriptor full_speed, high_speed; } __attribute__((packed)) setup = {
        1, endpoint(FULL_SPEED_PACKET), endpoint(HIGH_SPEED_PACKET),
    };
    if (write(file, &setup, sizeof setup) != sizeof setup) fail("the endpoint's descriptors are refused");
    if (pthread_create(&streaming_thread, NULL, stream, (void *)(intptr_t)file)) fail("pthread_create");
}

// MARK: Requests

static void answer(int device, const struct usb_ctrlrequest *request, const void *bytes, size_t length) {
    if (length > request->wLength) length = request->wLength;
    if (write(device, bytes, length) < 0 && errno != EIDRM) perror("an answer");
}

static void accept_request(int device) {
    if (read(device, NULL, 0) < 0) perror("accepting");
}

// A transfer in the wrong direction stalls the endpoint, which refuses the request (USB 9.2.7).
static void refuse(int device, const struct usb_ctrlrequest *request) {
    uint8_t byte = 0;
    if (request->bRequestType & USB_DIR_IN) (void)!read(device, &byte, 0);
    else (void)!write(device, &byte, 0);
}

// USB 9.6.7: strings are UTF-16; number 0 lists the languages, of which there is one, American English.
static void answer_string(int device, const struct usb_ctrlrequest *request) {
    static const char *const strings[] = { "", "Tintype", "Software Webcam", "TT-0001" };
    const uint8_t number = request->wValue & 0xff;
    if (number >= sizeof strings / sizeof *strings) return refuse(device, request);
    uint8_t bytes[LARGEST_REQUEST] = { 4, USB_DT_STRING, 0x09, 0x04 };
    if (number > 0) {
        bytes[0] = (uint8_t)(2 + 2 * strlen(strings[number]));
        for (size_t i = 0; strings[number][i]; i++) {
            bytes[2 + 2 * i] = (uint8_t)strings[number][i];
            bytes[3 + 2 * i] = 0;
        }
    }
    answer(device, request, bytes, bytes[0]);
}

// gadgetfs answers for the other standard requests itself.
static void answer_standard(int device, const struct usb_ctrlrequest *request) {
    switch (request->bRequest) {
    case USB_REQ_GET_DESCRIPTOR:
        if (request->wValue >> 8 == USB_DT_STRING) answer_string(device, request);
        else refuse(device, request);
        break;
    case USB_REQ_SET_CONFIGURATION:
        if (request->wValue != 0) start_streaming_thread();
        accept_request(device);
        break;
    case USB_REQ_SET_INTERFACE: accept_request(device); break;
    case USB_REQ_GET_INTERFACE: answer(device, request, "\0", 1); break;
    default: refuse(device, request);
    }
}

// UVC 4.3.1.1: the host proposes, the device answers with what it can do, which here is one thing; the commit begins
// the stream.
static void answer_streaming(int device, const struct usb_ctrlrequest *request) {
    static const uint8_t information = UVC_CONTROL_CAP_GET | UVC_CONTROL_CAP_SET;
    const struct uvc_streaming_control parameters = {
        .bmHint = 1, .bFormatIndex = 1, .bFrameIndex = 1, .dwFrameInterval = video.interval,
        .dwMaxVideoFrameSize = (uint32_t)video.largest, .dwMaxPayloadTransferSize = LARGEST_PAYLOAD,
        .dwClockFrequency = CLOCK_FREQUENCY, .bmFramingInfo = 3,
        .bPreferedVersion = 1, .bMinVersion = 1, .bMaxVersion = 1,
    };
    const uint16_t length = sizeof parameters;
    uint8_t proposal[LARGEST_REQUEST];
    switch (request->bRequest) {
    case UVC_SET_CUR:
        if (request->wLength > sizeof proposal) return refuse(device, request);
        if (read(device, proposal, request->wLength) < 0) return perror("a proposal");
        if (request->wValue >> 8 == UVC_VS_COMMIT_CONTROL) {
            atomic_fetch_add(&stream_number, 1);
            pthread_kill(streaming_thread, SIGUSR1);
        }
        break;
    case UVC_GET_CUR: case UVC_GET_MIN: case UVC_GET_MAX: case UVC_GET_DEF:
        answer(device, request, &parameters, sizeof parameters);
        break;
    case UVC_GET_LEN: answer(device, request, &length, sizeof length); break;
    case UVC_GET_INFO: answer(device, request, &information, sizeof information); break;
    default: refuse(device, request);
    }
}

static void answer_request(int device, const struct usb_ctrlrequest *request) {
    const uint8_t interface_number = request->wIndex & 0xff, selector = request->wValue >> 8;
    if ((request->bRequestType & USB_TYPE_MASK) == USB_TYPE_STANDARD) answer_standard(device, request);
    else if (interface_number == STREAMING_INTERFACE
             && (selector == UVC_VS_PROBE_CONTROL || selector == UVC_VS_COMMIT_CONTROL))
        answer_streaming(device, request);
    else refuse(device, request);
}

// MARK: Starting

static struct picture read_picture(const char *path) {
    struct stat status;
    const int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status)) fail(path);
    struct picture picture = { malloc((size_t)status.st_size), (size_t)status.st_size };
    if (!picture.bytes || read(file, picture.bytes, picture.length) != status.st_size) fail(path);
    close(file);
    return picture;
}

int main(int count, char **arguments) {
    const int rate = count > 4 ? atoi(arguments[3]) : 0;
    if (rate <= 0) {
        fprintf(stderr, "usage: usb-webcam WIDTH HEIGHT FRAMES-A-SECOND PICTURE.jpg...\n");
        return 64;
    }
    video.width = (uint16_t)atoi(arguments[1]);
    video.height = (uint16_t)atoi(arguments[2]);
    video.interval = 10000000 / (uint32_t)rate;
    video.largest = (size_t)video.width * video.height * 2;
    video.count = (size_t)count - 4;
    video.pictures = calloc(video.count, sizeof *video.pictures);
    if (!video.pictures) fail("pictures");
    for (size_t i = 0; i < video.count; i++) video.pictures[i] = read_picture(arguments[4 + i]);

    // gadgetfs refuses a request that comes before the data of the one before were read, and the host may be that fast.
    // Before everybody else on the machine's one processor, this program reads them first.
    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 })) fail("sched_setscheduler");
    const int device = open_device();
    for (;;) {
        struct usb_gadgetfs_event event;
        const ssize_t length = read(device, &event, sizeof event);
        if (length < 0 && errno != EINTR && errno != EAGAIN) fail("the device");
        if (length == sizeof event && event.type == GADGETFS_SETUP) answer_request(device, &event.u.setup);
    }
}
