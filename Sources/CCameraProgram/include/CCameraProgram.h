#ifndef TINTYPE_CCAMERAPROGRAM_H
#define TINTYPE_CCAMERAPROGRAM_H

#include <sys/types.h>

// What Swift cannot say of processes: GNU extensions and macros. No decisions are made here.

// Starts a program in a process group of its own, with /dev/null on its standard input and no other descriptors than
// those of the pipes. 0 or the error number.
//
// pipe_count: 2 for its standard output and standard error, 3 for its descriptor 3 too; 0 to send both outputs to our
// standard error.
// ends: set to the descriptors to read from; none of them waits. -1 where there is no pipe.
int tt_start_program(const char *path, char *const arguments[], char *const environment[], int pipe_count, int ends[3],
                     pid_t *process);

// This process's environment.
char **tt_environment(void);

// Whether a program has ended, whose number stays its own until tt_forget_program.
int tt_has_program_ended(pid_t process);

// Signals a program and all that it started.
void tt_signal_program(pid_t process, int number);

// Waits for a program's end and gives its number back: the exit status, or the negative number of the
// signal that ended it.
int tt_forget_program(pid_t process);

#endif
