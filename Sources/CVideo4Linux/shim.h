#ifndef TINTYPE_CVIDEO4LINUX_H
#define TINTYPE_CVIDEO4LINUX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// Requests are function-like macros, which do not import.
static const unsigned long tt_VIDIOC_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long tt_VIDIOC_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long tt_VIDIOC_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long tt_VIDIOC_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long tt_VIDIOC_S_FMT = VIDIOC_S_FMT;
static const unsigned long tt_VIDIOC_TRY_FMT = VIDIOC_TRY_FMT;
static const unsigned long tt_VIDIOC_S_PARM = VIDIOC_S_PARM;
static const unsigned long tt_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long tt_VIDIOC_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long tt_VIDIOC_QBUF = VIDIOC_QBUF;
static const unsigned long tt_VIDIOC_DQBUF = VIDIOC_DQBUF;
static const unsigned long tt_VIDIOC_STREAMON = VIDIOC_STREAMON;
static const unsigned long tt_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long tt_VIDIOC_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long tt_VIDIOC_G_CTRL = VIDIOC_G_CTRL;
static const unsigned long tt_VIDIOC_S_CTRL = VIDIOC_S_CTRL;
static const unsigned long tt_VIDIOC_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long tt_VIDIOC_SUBSCRIBE_EVENT = VIDIOC_SUBSCRIBE_EVENT;
static const unsigned long tt_VIDIOC_QUERY_DV_TIMINGS = VIDIOC_QUERY_DV_TIMINGS;
static const unsigned long tt_VIDIOC_S_DV_TIMINGS = VIDIOC_S_DV_TIMINGS;
static const unsigned long tt_VIDIOC_DQEVENT = VIDIOC_DQEVENT;

// ioctl(2) is variadic. Repeats an interrupted call; returns the error number, or 0.
static inline int tt_ioctl(int descriptor, unsigned long request, void *argument) {
    int status;
    do {
        status = ioctl(descriptor, request, argument);
    } while (status == -1 && errno == EINTR);
    return status == -1 ? errno : 0;
}

// open(2) is variadic. Returns the descriptor, or the negative error number.
static inline int tt_open_device(const char *path) {
    int descriptor;
    do {
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    } while (descriptor == -1 && errno == EINTR);
    return descriptor == -1 ? -errno : descriptor;
}

// In C because struct timespec belongs to whichever module is seen first. Returns a clock's nanoseconds.
static inline long long tt_nanoseconds(clockid_t clock) {
    struct timespec time = {0};
    (void)clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// prctl(2) is variadic. Names the calling thread, using at most 15 bytes.
static inline void tt_name_thread(const char *name) {
    (void)prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
