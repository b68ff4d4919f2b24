#define _GNU_SOURCE
#include "CMediaWorker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { maximum_descriptors = 4 };

int tt_socket_pair(int sockets[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : errno;
}

int tt_send(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(maximum_descriptors * sizeof(int))];
    } control;
    if (descriptor_count > maximum_descriptors) return EINVAL;
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (descriptor_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof(int));
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    return (size_t)sent == count ? 0 : EMSGSIZE;
}

int tt_receive(
    int socket, void *bytes, size_t capacity, size_t *count, int descriptors[4], size_t *descriptor_count) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(maximum_descriptors * sizeof(int))];
    } control;
    struct iovec vector = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *count = 0;
    *descriptor_count = 0;
    ssize_t received;
    do {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received == -1 && errno == EINTR);
    if (received == -1) return errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t length = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < length; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
            if (*descriptor_count < maximum_descriptors) {
                descriptors[(*descriptor_count)++] = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        for (size_t index = 0; index < *descriptor_count; index++) close(descriptors[index]);
        *descriptor_count = 0;
        return EMSGSIZE;
    }
    *count = (size_t)received;
    return 0;
}

int tt_memory_file(const char *name) {
    int descriptor = memfd_create(name, MFD_CLOEXEC);
    return descriptor >= 0 ? descriptor : -errno;
}

int tt_spawn(
    const char *path, char *const arguments[], char *const environment[], int socket, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) return status;
    status = posix_spawnattr_init(&attributes);
    if (status != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return status;
    }
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigfillset(&usual);
    if (status == 0) status = posix_spawnattr_setsigmask(&attributes, &none);
    if (status == 0) status = posix_spawnattr_setsigdefault(&attributes, &usual);
    short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (status == 0) status = posix_spawnattr_setflags(&attributes, flags);
    // The socket goes to 3 first: dup2 onto itself clears close-on-exec too.
    if (status == 0) status = posix_spawn_file_actions_adddup2(&actions, socket, 3);
    for (int descriptor = 0; descriptor < 3 && status == 0; descriptor++) {
        status = posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    }
    if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    if (status == 0) status = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

// From <linux/landlock.h>, which may be older than the kernel: version 4 added the second field, version 6 the third.
struct landlock_attributes {
    uint64_t access_to_files;
    uint64_t access_to_network;
    uint64_t scopes;
};

enum { landlock_create_ruleset = 444, landlock_restrict_self = 446, landlock_query_version = 1 };

int tt_landlock_version(void) {
    long version = syscall(landlock_create_ruleset, NULL, 0, landlock_query_version);
    return version > 0 ? (int)version : 0;
}

int tt_landlock_deny_all(int version) {
    // Version 1 knows 13 kinds of access, 2 adds REFER, 3 TRUNCATE, 5 IOCTL_DEV.
    unsigned kinds = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    struct landlock_attributes attributes = {
        .access_to_files = (UINT64_C(1) << kinds) - 1,
        .access_to_network = version >= 4 ? 3 : 0,
        .scopes = version >= 6 ? 3 : 0,
    };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    long ruleset = syscall(landlock_create_ruleset, &attributes, size, 0);
    if (ruleset < 0) return errno;
    int status = syscall(landlock_restrict_self, (int)ruleset, 0) == 0 ? 0 : errno;
    close((int)ruleset);
    return status;
}

int tt_seccomp_install(const struct sock_filter *instructions, unsigned short count) {
    struct sock_fprog program = {.len = count, .filter = (struct sock_filter *)instructions};
    long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return status == 0 ? 0 : status > 0 ? ESRCH : errno;
}

int tt_renounce_privileges(void) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : errno;
}

int tt_step_back(int niceness) { return setpriority(PRIO_PROCESS, 0, niceness) == 0 ? 0 : errno; }

int tt_limit(int resource, uint64_t bound) {
    struct rlimit limit = {.rlim_cur = bound, .rlim_max = bound};
    return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

int tt_limit_processor_time(uint64_t seconds) {
    struct rusage usage;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &usage) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return errno;
    limit.rlim_cur = (rlim_t)usage.ru_utime.tv_sec + (rlim_t)usage.ru_stime.tv_sec + 1 + seconds;
    return setrlimit(RLIMIT_CPU, &limit) == 0 ? 0 : errno;
}

int tt_limit_wall_time(unsigned seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    return setitimer(ITIMER_REAL, &timer, NULL) == 0 ? 0 : errno;
}

const int tt_limit_core = RLIMIT_CORE, tt_limit_memory = RLIMIT_DATA, tt_limit_address_space = RLIMIT_AS,
          tt_limit_file_size = RLIMIT_FSIZE, tt_limit_open_files = RLIMIT_NOFILE;

#if defined(__x86_64__)
const uint32_t tt_audit_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
const uint32_t tt_audit_architecture = AUDIT_ARCH_AARCH64;
#else
const uint32_t tt_audit_architecture = 0;
#endif

static const int needed_system_calls[] = {
    SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_pwrite64, SYS_writev, SYS_lseek, SYS_close, SYS_dup,
    SYS_fstat, SYS_ftruncate, SYS_recvmsg, SYS_sendmsg, SYS_ppoll,
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,
    SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_membarrier,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_setitimer, SYS_times,
    SYS_getrandom, SYS_getrusage, SYS_getpid, SYS_gettid, SYS_sysinfo, SYS_exit, SYS_exit_group,
#if defined(__x86_64__)
    SYS_poll, SYS_time,
#endif
};

size_t tt_needed_system_call_count(void) { return sizeof needed_system_calls / sizeof *needed_system_calls; }

int tt_needed_system_call(size_t index) { return needed_system_calls[index]; }

const int tt_call_clone = SYS_clone, tt_call_clone3 = SYS_clone3, tt_call_prlimit64 = SYS_prlimit64,
          tt_call_newfstatat = SYS_newfstatat;

const uint32_t tt_flag_thread = CLONE_THREAD, tt_flag_empty_path = AT_EMPTY_PATH;

int tt_try_fork(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0) return errno;
    waitpid(child, NULL, 0);
    return 0;
}
