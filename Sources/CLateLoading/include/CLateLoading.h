// Functions of a library that is loaded when the first of them is called.
//
// A program that names a library loads it at its start, with all that this one names, whatever it then does. Who uses
// `TT_FORWARD` instead defines the library's functions under their own names, and each hands its call on. The library's
// headers check every signature; a function that is missing does not link.
#ifndef TINTYPE_CLATELOADING_H
#define TINTYPE_CLATELOADING_H

// The function's address, found once and then kept where `address` points. Without it the program ends, as it would have
// at its start were it linked; `purpose` tells what was wanted.
void *tt_late_function(void **address, const char *library, const char *name, const char *purpose);

// Hidden, so that the libraries' calls of one another do not come through here.
#define TT_FORWARD(library, purpose, result, name, parameters, arguments)                              \
    __attribute__((visibility("hidden"))) result name parameters {                                     \
        static void *address;                                                                          \
        return ((result(*) parameters)tt_late_function(&address, library, #name, purpose)) arguments;  \
    }

#endif
