#ifndef TINTYPE_CMEDIAWORKER_H
#define TINTYPE_CMEDIAWORKER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

// Linux calls that Swift cannot express: control messages, variadic calls, GNU extensions. No decisions are made here.
// Every function returns 0 or the error number unless stated otherwise.

// Creates a pair of connected sockets that preserve message boundaries, both closed on exec.
int tt_socket_pair(int sockets[2]);

// Sends one message with up to four descriptors.
int tt_send(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

// Receives one message with up to four descriptors, which are closed on exec. A length of 0 is the end of the stream;
// EMSGSIZE: the message or its descriptors did not fit.
int tt_receive(
    int socket, void *bytes, size_t capacity, size_t *count, int descriptors[4], size_t *descriptor_count);

// Creates an anonymous in-memory file, closed on exec. Returns the descriptor, or the negative error number.
int tt_memory_file(const char *name);

// Starts a program whose only descriptors are 0, 1, 2 (all /dev/null) and 3 (the socket), in its own session.
int tt_spawn(
    const char *path, char *const arguments[], char *const environment[], int socket, pid_t *process);

// The kernel's Landlock version; 0 for none.
int tt_landlock_version(void);

// Denies every access to files by name, every TCP bind and connect, and what newer versions add, for this thread and
// those it starts.
int tt_landlock_deny_all(int version);

// Installs a system call filter for all threads of the process.
int tt_seccomp_install(const struct sock_filter *instructions, unsigned short count);

// Ensures that the process cannot gain privileges and leaves no core file.
int tt_renounce_privileges(void);

// Raises the niceness, by 0 to 19.
int tt_step_back(int niceness);

// Sets a limit of this process (setrlimit), soft and hard.
int tt_limit(int resource, uint64_t bound);

// Limits the processor time that the process may use from now on, in seconds; the limit's signal ends it.
int tt_limit_processor_time(uint64_t seconds);

// Schedules a signal that ends the process after this many seconds of wall time; 0 cancels it.
int tt_limit_wall_time(unsigned seconds);

extern const int tt_limit_core, tt_limit_memory, tt_limit_address_space, tt_limit_file_size, tt_limit_open_files;

// A seccomp filter's view of the machine.
extern const uint32_t tt_audit_architecture;


// The system calls needed for decoding, by this machine's numbers.
size_t tt_needed_system_call_count(void);
int tt_needed_system_call(size_t index);

// Calls allowed only with certain arguments, by this machine's numbers.
extern const int tt_call_clone, tt_call_clone3, tt_call_prlimit64, tt_call_newfstatat;

// The flags that distinguish those calls.
extern const uint32_t tt_flag_thread, tt_flag_empty_path;

// Calls that a confined process tries in tests; each returns the error number, 0 if it was allowed.
int tt_try_fork(void);

#endif
