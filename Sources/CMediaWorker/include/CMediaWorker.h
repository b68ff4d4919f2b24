#ifndef TINTYPE_CMEDIAWORKER_H
#define TINTYPE_CMEDIAWORKER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

// What Swift cannot say of Linux: control messages, variadic calls, GNU extensions. No decisions are made here.
// Every function gives 0 or the error number unless it says otherwise.

// A pair of connected sockets that keep the borders of messages, both closed on exec.
int tt_socket_pair(int sockets[2]);

// Sends one message with up to four descriptors.
int tt_send(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

// Receives one message with up to four descriptors, which are closed on exec. A length of 0 is the end of the stream;
// EMSGSIZE: the message or its descriptors did not fit.
int tt_receive(
    int socket, void *bytes, size_t capacity, size_t *count, int descriptors[4], size_t *descriptor_count);

// An anonymous file in memory, closed on exec; the descriptor, or the negative error number.
int tt_memory_file(const char *name);

// Starts a program whose only descriptors are 0, 1, 2 (all /dev/null) and 3 (the socket), in a session of its own.
int tt_spawn(
    const char *path, char *const arguments[], char *const environment[], int socket, pid_t *process);

// The version of Landlock that the kernel offers; 0 for none.
int tt_landlock_version(void);

// Denies every access to files by name, every TCP bind and connect, and what newer versions add, for this thread and
// those it starts.
int tt_landlock_deny_all(int version);

// Installs a filter of system calls for all threads of the process.
int tt_seccomp_install(const struct sock_filter *instructions, unsigned short count);

// Marks the process as one that cannot gain privileges and leaves no core file.
int tt_renounce_privileges(void);

// Lets others go first, by 0 to 19.
int tt_step_back(int niceness);

// Sets a limit of this process (setrlimit); soft and hard the same.
int tt_limit(int resource, uint64_t bound);

// Sets how much processor time the process may take from now on, in seconds; the limit's signal ends it.
int tt_limit_processor_time(uint64_t seconds);

// Has the process ended by a signal after so many seconds by the clock; 0 takes that back.
int tt_limit_wall_time(unsigned seconds);

extern const int tt_limit_core, tt_limit_memory, tt_limit_address_space, tt_limit_file_size, tt_limit_open_files;

// A seccomp filter's view of the machine.
extern const uint32_t tt_audit_architecture;


// The system calls that decoding needs, by this machine's numbers.
size_t tt_needed_system_call_count(void);
int tt_needed_system_call(size_t index);

// Calls that are let pass only with certain arguments, by this machine's numbers.
extern const int tt_call_clone, tt_call_clone3, tt_call_prlimit64, tt_call_newfstatat;

// The flags by which those calls are told apart.
extern const uint32_t tt_flag_thread, tt_flag_empty_path;

// What a process that was confined may try in tests; each gives the error number, 0 when it was let pass.
int tt_try_fork(void);

#endif
