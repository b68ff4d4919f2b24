#ifndef TINTYPE_CCAMERAPROGRAM_H
#define TINTYPE_CCAMERAPROGRAM_H

#include <sys/types.h>

// What Swift cannot say of processes: GNU extensions and macros. No decisions are made here.

// Starts a program in a process group of its own, with /dev/null on its standard input and no other descriptors than
// those of the pipes. 0 or the error number.
//
// ends: set to the descriptors to read its standard output, its standard error and, if wanted, its descriptor 3 from;
// none of them waits. The last is -1 where it is not wanted.
int tt_start_program(const char *path, char *const arguments[], int has_third, int ends[3], pid_t *process);

// Whether a program has ended, whose number stays its own until tt_forget_program.
int tt_has_program_ended(pid_t process);

// Signals a program and all that it started.
void tt_signal_program(pid_t process, int number);

// Waits for a program's end and gives its number back: the exit status, or the negative number of the
// signal that ended it.
int tt_forget_program(pid_t process);

#endif
