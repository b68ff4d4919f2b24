// The C parts of Tintype that need no library but the C library, run on a 64-bit ARM: for real, or by qemu-user.
// deploy/arm64-check compiles it together with them. Prints a line for each check; exit status 1 where one failed.
#define _GNU_SOURCE
#include "../../Sources/CFileSystem/shim.h"
#include "../../Sources/CProcessMemory/shim.h"
#include "../../Sources/CVideo4Linux/shim.h"
#include "CCameraProgram.h"
#include "CGPIO.h"
#include "CLateLoading.h"
#include "CMediaWorker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void check(const char *what, int is_good) {
    printf("%-6s %s\n", is_good ? "ok" : "FAILED", what);
    failures += !is_good;
}

TT_FORWARD("libm.so.6", "take a cosine", double, cos, (double x), (x))

static int count_objects(struct tt_loaded_object *object, size_t size, void *context) {
    *(int *)context += size >= sizeof *object && object->header_count > 0;
    return 0;
}

static void check_machine(void) {
#if defined(__aarch64__)
    check("the filter of system calls is made for this architecture", tt_audit_architecture == AUDIT_ARCH_AARCH64);
#else
    check("this is a 64-bit ARM", 0);
#endif
    check("char is unsigned here, and nothing depends on its sign", (char)0xFF == 0xFF);
    check("direct I/O has this architecture's number", tt_open_direct == O_DIRECT);
    long page = sysconf(_SC_PAGESIZE);
    printf("       pages have %ld bytes\n", page);
    check("blocks of direct I/O are whole pages", page > 0 && (1 << 20) % page == 0);
    int objects = 0;
    dl_iterate_phdr(count_objects, &objects);
    check("the loaded libraries are seen", objects > 1);
}

// The kernel's interface to cameras is the same on every 64-bit machine: sizes are parts of the calls' numbers.
static void check_cameras(void) {
    check("a frame's description has 88 bytes", sizeof(struct v4l2_buffer) == 88);
    check("a format has 208 bytes", sizeof(struct v4l2_format) == 208);
    check("the number of VIDIOC_DQBUF", VIDIOC_DQBUF == 0xC0585611u);
    check("the number of VIDIOC_S_FMT", VIDIOC_S_FMT == 0xC0D05605u);
}

static void check_calls(void) {
    size_t count = tt_needed_system_call_count();
    int are_distinct = count > 20;
    for (size_t i = 0; i < count; i++) {
        are_distinct &= tt_needed_system_call(i) >= 0 && tt_needed_system_call(i) < 1024;
        for (size_t j = 0; j < i; j++) are_distinct &= tt_needed_system_call(i) != tt_needed_system_call(j);
    }
    check("the decoder's system calls have numbers, each its own", are_distinct);
    check("a function is loaded when it is called first", cos(0) == 1 && cos(0) == 1);
}

static void check_messages(void) {
    int sockets[2], found[4] = {-1, -1, -1, -1};
    char text[16] = "";
    size_t length = 0, descriptors = 0;
    check("sockets", tt_socket_pair(sockets) == 0);
    int file = tt_memory_file("check");
    check("a file in memory", file >= 0 && write(file, "seen", 4) == 4);
    check("a message with a descriptor is sent", tt_send(sockets[0], "hello", 5, &file, 1) == 0);
    check("and received", tt_receive(sockets[1], text, sizeof text, &length, found, &descriptors) == 0 && length == 5 &&
                              descriptors == 1 && memcmp(text, "hello", 5) == 0);
    char seen[4] = "";
    check("the descriptor leads to the same file", pread(found[0], seen, 4, 0) == 4 && memcmp(seen, "seen", 4) == 0);
    check("more descriptors than fit are refused", tt_send(sockets[0], "x", 1, (int[5]){0}, 5) == EINVAL);
    close(sockets[0]);
    check("the end of the stream", tt_receive(sockets[1], text, sizeof text, &length, found, &descriptors) == 0 && length == 0);
}

static void check_waiting(void) {
    uint64_t time = 0;
    int wake = tt_gpio_make_wake();
    check("a wake-up", wake >= 0);
    tt_gpio_wake(wake);
    check("wakes who waits for a line", tt_gpio_wait(-1, wake, &time) == 0);
    check("a chip that is not there is told", tt_gpio_request("/dev/gpiochip-none", 0, 0) == -ENOENT);
}

// What a pipe holds once its writer has closed it.
static int holds(int end, const char *expected) {
    char text[16] = "";
    size_t length = 0;
    struct pollfd waiting = {.fd = end, .events = POLLIN};
    while (length < sizeof text - 1 && poll(&waiting, 1, -1) == 1) {
        ssize_t count = read(end, text + length, sizeof text - 1 - length);
        if (count <= 0) break;
        length += count;
    }
    close(end);
    return strcmp(text, expected) == 0;
}

static void check_programs(void) {
    char *arguments[] = {"sh", "-c", "echo frame; echo words >&2; echo time >&3; exit 7", NULL};
    int ends[3] = {-1, -1, -1};
    pid_t program = 0;
    if (tt_start_program("/bin/sh", arguments, tt_environment(), 3, ends, &program) != 0) {
        check("a camera's program is started", 0);
        return;
    }
    int are_read = holds(ends[0], "frame\n") & holds(ends[1], "words\n") & holds(ends[2], "time\n");
    check("a camera's program writes frames, messages and times", are_read);
    check("its exit status is told", tt_forget_program(program) == 7);
    // Emulated, a program may not have its group before it runs.
    arguments[2] = "echo up; exec >&- 2>&-; exec sleep 60";
    int is_up = tt_start_program("/bin/sh", arguments, tt_environment(), 2, ends, &program) == 0 && holds(ends[0], "up\n");
    check("a second one runs", is_up && !tt_has_program_ended(program));
    tt_signal_program(program, SIGKILL);
    check("and is ended with its group", is_up && tt_forget_program(program) == -SIGKILL);
}

static void check_limits(void) {
    pid_t child = fork();
    if (child == 0) {
        int status = tt_renounce_privileges() | tt_limit(tt_limit_open_files, 8) | tt_step_back(5) | tt_limit_wall_time(60);
        int last = -1;
        for (int i = 0; i < 16; i++) last = dup(0);
        _exit(status == 0 && last == -1 && errno == EMFILE ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    check("limits hold", WIFEXITED(status) && WEXITSTATUS(status) == 0);
    printf("       Landlock %d\n", tt_landlock_version());
}

int main(void) {
    check_machine();
    check_cameras();
    check_calls();
    check_messages();
    check_waiting();
    check_programs();
    check_limits();
    printf("%d of the checks failed\n", failures);
    return failures > 0;
}
