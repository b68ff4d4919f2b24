#define _GNU_SOURCE
#include "CCameraProgram.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void close_all(int pipes[3][2]) {
    for (int index = 0; index < 3; index++) {
        for (int end = 0; end < 2; end++) {
            if (pipes[index][end] >= 0) close(pipes[index][end]);
        }
    }
}

// Where the writing ends are in the program: each goes above all others first, since they may stand in each other's
// places here.
static int add_descriptors(posix_spawn_file_actions_t *actions, int pipes[3][2]) {
    const int places[3] = {STDOUT_FILENO, STDERR_FILENO, 3};
    int parking = 4;
    for (int index = 0; index < 3; index++) {
        if (pipes[index][1] >= parking) parking = pipes[index][1] + 1;
    }
    int status = 0;
    for (int index = 0; index < 3 && status == 0; index++) {
        if (pipes[index][1] >= 0) status = posix_spawn_file_actions_adddup2(actions, pipes[index][1], parking + index);
    }
    if (status == 0) status = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    // Our standard output is for what commands print.
    if (status == 0 && pipes[0][1] < 0) {
        status = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    }
    int kept = 3;
    for (int index = 0; index < 3 && status == 0; index++) {
        if (pipes[index][1] < 0) continue;
        status = posix_spawn_file_actions_adddup2(actions, parking + index, places[index]);
        kept = places[index] + 1;
    }
    if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(actions, kept < 3 ? 3 : kept);
    return status;
}

// The program must not inherit which signals are blocked or ignored here.
static int add_signals(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int status = posix_spawnattr_setsigmask(attributes, &none);
    if (status == 0) status = posix_spawnattr_setsigdefault(attributes, &all);
    if (status == 0) status = posix_spawnattr_setpgroup(attributes, 0);
    const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    return status == 0 ? posix_spawnattr_setflags(attributes, flags) : status;
}

static int spawn(const char *path, char *const arguments[], char *const environment[], int pipes[3][2],
                 pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) return status;
    status = posix_spawnattr_init(&attributes);
    if (status == 0) {
        status = add_signals(&attributes);
        if (status == 0) status = add_descriptors(&actions, pipes);
        if (status == 0) status = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

int tt_start_program(const char *path, char *const arguments[], char *const environment[], int pipe_count, int ends[3],
                     pid_t *process) {
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int status = 0;
    for (int index = 0; index < pipe_count && status == 0; index++) {
        if (pipe2(pipes[index], O_CLOEXEC) != 0) status = errno;
        // Only the reading end: what the program writes to waits for us, as programs expect.
        else if (fcntl(pipes[index][0], F_SETFL, O_NONBLOCK) != 0) status = errno;
    }
    // Room for a frame or so, where the limit of the user allows it; less does as well.
    if (status == 0 && pipe_count > 0) (void)fcntl(pipes[0][0], F_SETPIPE_SZ, 1 << 20);
    if (status == 0) status = spawn(path, arguments, environment, pipes, process);
    if (status == 0) {
        for (int index = 0; index < 3; index++) {
            ends[index] = pipes[index][0];
            pipes[index][0] = -1;
        }
    }
    close_all(pipes);
    return status;
}

char **tt_environment(void) { return environ; }

int tt_has_program_ended(pid_t process) {
    siginfo_t state = {0};
    int status;
    do {
        status = waitid(P_PID, (id_t)process, &state, WEXITED | WNOHANG | WNOWAIT);
    } while (status == -1 && errno == EINTR);
    return status == -1 || state.si_pid == process;
}

void tt_signal_program(pid_t process, int number) { (void)kill(-process, number); }

int tt_forget_program(pid_t process) {
    int status = 0;
    pid_t ended;
    do {
        ended = waitpid(process, &status, 0);
    } while (ended == -1 && errno == EINTR);
    if (ended != process) return 0;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
