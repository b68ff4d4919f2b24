// Preloaded into a program: each flush of a file takes SLOW_DISK_MILLISECONDS longer, and is counted in the file
// SLOW_DISK_COUNT, one byte each. The disk's bandwidth is the kernel's to limit.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void take(void) {
    static int counter = -1;
    if (counter < 0) {
        const char *path = getenv("SLOW_DISK_COUNT");
        counter = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }
    if (counter >= 0 && write(counter, ".", 1) != 1) abort();
    const char *text = getenv("SLOW_DISK_MILLISECONDS");
    long milliseconds = text ? atol(text) : 0;
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&pause, &pause)) {}
}

#define SLOWLY(name)                                                                   \
    int name(int descriptor) {                                                         \
        static int (*real)(int);                                                       \
        if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, #name);                       \
        take();                                                                        \
        return real(descriptor);                                                       \
    }

SLOWLY(fsync)
SLOWLY(fdatasync)
SLOWLY(syncfs)
